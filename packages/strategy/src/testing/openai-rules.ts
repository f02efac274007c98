/**
 * What OpenAI's chat completions refuse, as their API reference states it. Returns one sentence per violation.
 * Written against the published rules, not against our formatter.
 */
export function openAiViolations(messages: readonly unknown[]): string[] {
  const violations: string[] = [];
  let open: string[] = [];
  for (const [index, raw] of messages.entries()) {
    const message = raw as Record<string, unknown>;
    const at = `message ${index} (${String(message['role'])})`;
    if (message['role'] === 'tool') {
      const id = message['tool_call_id'];
      if (typeof id !== 'string' || !open.includes(id))
        violations.push(`${at} answers no call of the message before it`);
      else open = open.filter((one) => one !== id);
      if (typeof message['content'] !== 'string') violations.push(`${at} has no text`);
      continue;
    }
    if (open.length > 0) violations.push(`${at} comes before the results of ${open.join(', ')}`);
    open = [];
    switch (message['role']) {
      case 'system':
      case 'developer':
        if (typeof message['content'] !== 'string') violations.push(`${at} has no text`);
        break;
      case 'user':
        if (!isUserContent(message['content'])) violations.push(`${at} has no content`);
        break;
      case 'assistant': {
        const calls = message['tool_calls'];
        if (calls === undefined) {
          if (typeof message['content'] !== 'string' || message['content'] === '')
            violations.push(`${at} is empty`);
          break;
        }
        if (!Array.isArray(calls) || calls.length === 0) violations.push(`${at} has an empty list of calls`);
        else open = calls.map((call) => checkCall(call as Record<string, unknown>, at, violations));
        if (new Set(open).size !== open.length) violations.push(`${at} has two calls with one id`);
        break;
      }
      default:
        violations.push(`${at} has an unknown role`);
    }
  }
  if (open.length > 0) violations.push(`the results of ${open.join(', ')} are missing at the end`);
  if (!JSON.stringify(messages).isWellFormed()) violations.push('not well-formed Unicode');
  for (const message of messages) collectIllFormed(message, violations);
  return violations;
}

function checkCall(call: Record<string, unknown>, at: string, violations: string[]): string {
  const fn = call['function'] as Record<string, unknown> | undefined;
  if (call['type'] !== 'function' || typeof fn?.['name'] !== 'string' || fn['name'] === '') {
    violations.push(`${at} has a call without a name`);
  }
  if (typeof fn?.['arguments'] !== 'string') violations.push(`${at} has a call without arguments`);
  if (typeof call['id'] !== 'string' || call['id'] === '') violations.push(`${at} has a call without an id`);
  return String(call['id']);
}

function isUserContent(content: unknown): boolean {
  if (typeof content === 'string') return content !== '';
  return Array.isArray(content) && content.length > 0;
}

function collectIllFormed(value: unknown, violations: string[]): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) violations.push('a text is not well-formed Unicode');
    if (value.includes('\0')) violations.push('a text holds NUL');
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collectIllFormed(part, violations);
  }
}
