/**
 * What Anthropic's Messages API refuses, as its reference and error messages state it. Returns one sentence per
 * violation. Written against the published rules, not against our formatter.
 */
export function anthropicViolations(body: { system?: unknown; messages: readonly unknown[] }): string[] {
  const violations: string[] = [];
  let breakpoints = 0;
  const system = (body.system ?? []) as Record<string, unknown>[];
  for (const [index, block] of system.entries()) {
    if (block['type'] !== 'text' || isBlank(block['text']))
      violations.push(`system block ${index} has no text`);
    if (block['cache_control'] !== undefined) breakpoints += 1;
  }
  const messages = body.messages as { role: string; content: Record<string, unknown>[] }[];
  if (messages.length > 0 && messages[0]?.role !== 'user')
    violations.push('the first message is not the user’s');
  const used = new Set<string>();
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const at = `message ${index} (${role})`;
    if (role !== 'user' && role !== 'assistant') violations.push(`${at} has an unknown role`);
    if (messages[index - 1]?.role === role) violations.push(`${at} follows one of the same role`);
    if (!Array.isArray(content) || content.length === 0) violations.push(`${at} has no content`);
    let results = true;
    const answered: string[] = [];
    const calls: string[] = [];
    for (const block of content) {
      if (block['cache_control'] !== undefined) breakpoints += 1;
      if (block['type'] !== 'tool_result') results = false;
      switch (block['type']) {
        case 'text':
          if (isBlank(block['text'])) violations.push(`${at} has an empty text block`);
          break;
        case 'image':
          if (role !== 'user') violations.push(`${at} has an image`);
          checkImage(block['source'] as Record<string, unknown>, at, violations);
          break;
        case 'thinking':
          if (role !== 'assistant' || typeof block['signature'] !== 'string')
            violations.push(`${at} has thinking that is not signed`);
          if (block['cache_control'] !== undefined) violations.push(`${at} has a breakpoint on thinking`);
          break;
        case 'tool_use': {
          const id = String(block['id']);
          if (role !== 'assistant') violations.push(`${at} calls a tool`);
          if (!/^[a-zA-Z0-9_-]+$/.test(id))
            violations.push(`${at} has a call id with other characters: ${id}`);
          if (used.has(id)) violations.push(`${at} uses the call id ${id} again`);
          if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(block['name'])))
            violations.push(`${at} has a bad tool name`);
          if (typeof block['input'] !== 'object' || block['input'] === null || Array.isArray(block['input']))
            violations.push(`${at} has input that is no object`);
          used.add(id);
          calls.push(id);
          break;
        }
        case 'tool_result': {
          if (role !== 'user') violations.push(`${at} has a result`);
          if (!results) violations.push(`${at} has a result behind other content`);
          answered.push(String(block['tool_use_id']));
          break;
        }
        default:
          violations.push(`${at} has a block of unknown type ${String(block['type'])}`);
      }
    }
    if (answered.toSorted().join() !== open.toSorted().join())
      violations.push(`${at} answers [${answered.join()}], the calls before it are [${open.join()}]`);
    open = calls;
  }
  if (open.length > 0) violations.push('calls at the end have no results');
  if (breakpoints > 4) violations.push(`${breakpoints} cache breakpoints, 4 are allowed`);
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  if (
    last?.role === 'assistant' &&
    typeof end?.['text'] === 'string' &&
    end['text'] !== end['text'].trimEnd()
  )
    violations.push('the last assistant text ends in white space');
  if (!JSON.stringify(body).isWellFormed()) violations.push('not well-formed Unicode');
  return violations;
}

function checkImage(source: Record<string, unknown>, at: string, violations: string[]): void {
  const known = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(String(source['media_type']));
  if (source['type'] === 'base64' && known && typeof source['data'] === 'string') return;
  if (source['type'] === 'url' && /^https?:\/\//.test(String(source['url']))) return;
  violations.push(`${at} has an image that is not taken`);
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}
