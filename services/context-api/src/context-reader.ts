/** What is asked of a context. */
export interface ContextRequest {
  tenant: string;
  conversation: string;
  /** Tokens that the whole context may have. */
  budget: number;
  format: ContextFormat;
  /** `name@version` of a strategy in place of the live one. */
  strategy?: string | undefined;
  /** Text that long-term memory is searched for. */
  query?: string | undefined;
}

/** Whose message form is answered: OpenAI's chat, Anthropic's Messages API, the AI SDK's ModelMessage, one plain text. */
export const CONTEXT_FORMATS = ['openai', 'anthropic', 'ai-sdk', 'text'] as const;
export type ContextFormat = (typeof CONTEXT_FORMATS)[number];

export type ContextAnswer =
  | {
      /** Sent as JSON. */
      body: object;
      /** The generation whose views the context is made of, and no other's. */
      generation: number;
      /** What the ETag is made of: equal contents, equal ETags. Leave out what changes while the context does not. */
      content: string;
    }
  /** The tenant has no such conversation, or nothing of it is folded yet. */
  | { notFound: true }
  /** No views of that strategy are there. */
  | { noStrategy: true }
  /** Pins and other fixed parts alone exceed the budget; `floor` tells the tokens of each part and their total. */
  | { floor: Readonly<Record<string, number>>; why?: string }
  /** Above the strategy's kill switch: nothing is sent, `dump` says what the call held. */
  | { killed: { limit: number; dump: object } };

/** Assembles contexts from one generation's views, the live one's unless told otherwise. Reads only what belongs to the tenant. */
export interface ContextReader {
  read(request: ContextRequest): Promise<ContextAnswer>;
}
