/** An event that asks to be accepted. */
export interface Candidate {
  /** UUID in lower case. */
  eventId: string;
  conversationId: string;
  /** The producer's order. It counts for events of `chat.messages` only: steps and tasks carry no order. */
  seq: bigint | null;
  /** `inputDigest` of what the producer sent. */
  digest: Buffer;
  topic: string;
}
