/** A request as the server saw it, in either protocol. */
export interface SeenRequest {
  protocol: 'openai' | 'anthropic';
  body: {
    model?: string;
    system?: string;
    messages?: { role: string; content: string }[];
    response_format?: { type: string };
    output_config?: { format: { type: string } };
    tools?: unknown[];
    stream?: boolean;
    max_tokens?: number;
    max_completion_tokens?: number;
    context_management?: { edits: { type: string; trigger?: { value: number } }[] };
  };
  /** The key, however the protocol sends it. */
  authorization: string | undefined;
  beta: string | undefined;
}

/** What the server does with one request. `answer` is the text of a good completion. */
export type Behaviour =
  | {
      kind: 'answer';
      /** A function sees the request, for echoes and answers about the source. */
      text: string | ((request: SeenRequest) => string);
      /** `length` and the like, in OpenAI's words: said in Anthropic's where those are spoken. */
      finish?: string;
      /** Null = the server does not say. */
      usage?: Record<string, unknown> | null;
      delayMs?: number;
      /** Cut at the request's token limit, a word a token. */
      heedsLimit?: boolean;
    }
  | { kind: 'status'; status: number; text?: string; retryAfter?: string }
  /** Takes the request and never answers. */
  | { kind: 'hang' }
  /** Ends the connection in the middle of the body. */
  | { kind: 'drop' }
  /** 200 with this body, whatever it is. */
  | { kind: 'raw'; body: string };

/** Instructions of a request, in either protocol. */
export function systemOf({ body }: SeenRequest): string {
  return body.system ?? body.messages?.find((message) => message.role === 'system')?.content ?? '';
}

/** The source (and what else the user's turn holds) of a request, in either protocol. */
export function userOf({ body }: SeenRequest): string {
  return body.messages?.findLast((message) => message.role === 'user')?.content ?? '';
}

/** Whether a request is for facts. */
export function asksForFacts(request: SeenRequest): boolean {
  return systemOf(request).includes('"facts"');
}
