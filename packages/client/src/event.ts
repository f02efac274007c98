/** Events as `POST /v1/events` takes them. */

interface Common {
  conversation_id: string;
  /** UUID, the identity for "once". The client makes one where it is absent. */
  event_id?: string;
  /** The producer's own order inside the conversation; on all its events or on none. */
  seq?: number | bigint;
  /** RFC 3339. */
  occurred_at?: string;
  client_id?: string;
  task_id?: string;
  agent?: string;
}

export type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mime?: string; data: string }
  | { type: 'image'; mime?: string; url: string }
  | { type: 'thinking'; text: string; signature?: string };

export type AgentEvent = Common &
  (
    | {
        type: 'message';
        role: 'system' | 'developer' | 'user' | 'assistant';
        content: string | readonly ContentPart[];
      }
    | {
        type: 'tool_call';
        call_id: string;
        tool: string;
        arguments?: object | string;
        /** Parallel calls of one step share it. */
        step_id?: string;
      }
    | { type: 'tool_result'; call_id: string; content: unknown; content_type?: string; is_error?: boolean }
    | { type: 'pin' | 'unpin' | 'correction'; message_id: string }
    | { type: 'state_patch'; task_id: string; patch: object; source_ids?: readonly string[] }
    | {
        type: 'tools_declared';
        tools: readonly { name: string; summary: string; schema: object; phases?: readonly string[] }[];
      }
    | { type: 'phase'; task_id: string; phase: string }
    | {
        type: 'conversation_settings';
        agent_type?: string;
        model?: string;
        language?: string;
        time_zone?: string;
        flags?: { verbatim?: boolean; full_context?: boolean };
      }
    | {
        type: 'step';
        task_id: string;
        step_index: number;
        run_id?: string;
        provider: string;
        model: string;
        usage: {
          input: number;
          output: number;
          cache_read?: number;
          cache_write_5m?: number;
          cache_write_1h?: number;
          reasoning?: number;
        };
        usage_semantics?: 'input_includes_cache' | 'input_excludes_cache';
        answer_id?: string;
        request_id?: string;
        /** False for a streaming partial. */
        final?: boolean;
        strategy?: string;
        generation?: number;
        model_resolved?: string;
        tool_name?: string;
        tool_result_bytes?: number;
        state_bytes?: number;
        latency_ms?: number;
        ttft_ms?: number;
        context_tokens?: number;
        stable_prefix_tokens?: number;
      }
    | { type: 'task_started'; task_id: string }
    | {
        type: 'task_finished';
        task_id: string;
        outcome?: 'completed' | 'failed' | 'abandoned' | 'handed_over';
      }
  );
