import { type ContextFormat, createClient } from '@palimpsest/client';
import type { Environment } from '../environment.js';
import type { Output } from '../output.js';
import { withStack } from '../stack/connect.js';
import { slotTable } from './slot-bar.js';

/** `palimpsest context <conversation>`: what the API would answer, with a bar per slot. */
export async function contextCommand(
  conversation: string,
  options: { budget: number; format: ContextFormat },
  environment: Environment,
  output: Output,
): Promise<void> {
  await withStack(environment, output.progress, async (connection) => {
    await connection.stack?.settled();
    const context = await createClient(connection).context(conversation, {
      budget: options.budget,
      format: options.format,
    });
    output.line(`${conversation} by ${context.strategy}, position ${context.position}\n`);
    output.line(slotTable(context.tokens.by_slot, context.tokens.total, options.budget));
    for (const left of context.left_out) {
      const handle = left['handle'] === null ? '' : `  [${String(left['handle'])}]`;
      output.line(`left out: ${String(left['what'])}: ${String(left['why'])}${handle}`);
    }
    for (const warning of context.warnings) output.line(`warning: ${String(warning)}`);
    output.line('');
    for (const block of context.system ?? []) output.line(JSON.stringify(block));
    for (const message of context.messages) output.line(JSON.stringify(message));
    if (context.text !== undefined) output.line(context.text);
    output.value(context);
  });
}
