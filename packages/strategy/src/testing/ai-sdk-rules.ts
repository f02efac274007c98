/**
 * What the AI SDK refuses in `messages` (its `modelMessageSchema`, and the missing-results check of its prompt
 * conversion). Returns one sentence per violation.
 */
export function aiSdkViolations(messages: readonly unknown[]): string[] {
  const violations: string[] = [];
  let open = new Map<string, string>();
  for (const [index, raw] of messages.entries()) {
    const { role, content } = raw as { role: string; content: unknown };
    const at = `message ${index} (${role})`;
    if (role === 'system') {
      if (typeof content !== 'string') violations.push(`${at} has no text`);
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) {
      violations.push(`${at} has no content`);
      continue;
    }
    const parts = content as Record<string, unknown>[];
    if (role !== 'tool' && open.size > 0) {
      violations.push(`${at} comes before the results of ${[...open.keys()].join()}`);
      open = new Map();
    }
    for (const part of parts) {
      if (!(ALLOWED[role] ?? []).includes(String(part['type']))) {
        violations.push(`${at} has a part of type ${String(part['type'])}`);
      } else if (part['type'] === 'tool-call') {
        const id = String(part['toolCallId']);
        if (open.has(id)) violations.push(`${at} has two calls with one id`);
        open.set(id, String(part['toolName']));
        if (!('input' in part)) violations.push(`${at} has a call without input`);
      } else if (part['type'] === 'tool-result') {
        const id = String(part['toolCallId']);
        if (open.get(id) !== part['toolName']) violations.push(`${at} answers no call of that name: ${id}`);
        open.delete(id);
        const { type, value } = part['output'] as Record<string, unknown>;
        if ((type !== 'text' && type !== 'error-text') || typeof value !== 'string')
          violations.push(`${at} has a result without output`);
      }
    }
  }
  if (open.size > 0) violations.push('calls at the end have no results');
  return violations;
}

const ALLOWED: Record<string, string[]> = {
  user: ['text', 'image'],
  assistant: ['text', 'reasoning', 'tool-call'],
  tool: ['tool-result'],
};
