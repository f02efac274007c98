/** The log key of a conversation, as `keyOf` of @palimpsest/events writes it for chat events and derivations. */
export function conversationKey(tenant: string, conversation: string): string {
  return `${encodeURIComponent(tenant)}/${encodeURIComponent(conversation)}`;
}
