import type { Environment } from '../environment.js';
import type { Output } from '../output.js';
import { knownPrice, type ModelPrice, planReplay } from '../replay/plan-replay.js';
import { withBuildParts } from '../replay/with-build-parts.js';
import { readStrategy, type ReplayOptions } from './replay.js';

/** `palimpsest replay --dry-run`: what the replay would do; nothing is written and no model asked. */
export async function planCommand(
  { strategy: file, ...scope }: ReplayOptions,
  prices: ModelPrice | null,
  environment: Environment,
  output: Output,
): Promise<void> {
  const strategy = readStrategy(file);
  await withBuildParts(environment, output, async (parts) => {
    const price = prices ?? knownPrice(environment.model?.model ?? null);
    const plan = await planReplay(parts, strategy, scope, price);
    const { events, conversations, seconds, derivations, tokens, dollars } = plan;
    output.line(
      `A replay of ${strategy.label} would fold ${counted(events, 'event')} of ${counted(conversations, 'conversation')}, in about ${seconds} s.`,
    );
    output.line(
      `${counted(derivations.reused, 'answer')} of models would be reused, ${counted(derivations.calls, 'call')} made: ` +
        `${tokens.input.toLocaleString('en')} tokens in, at most ${tokens.outputAtMost.toLocaleString('en')} out.`,
    );
    output.line(
      dollars === null
        ? 'What they cost is not known: give --prices <input,output>, dollars per million tokens.'
        : dollars[1] === 0
          ? 'They cost nothing.'
          : `They cost ${money(dollars[0])} to ${money(dollars[1])}.`,
    );
    output.value({ strategy: strategy.label, ...plan });
  });
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

function money(dollars: number): string {
  return `$${dollars.toFixed(dollars >= 1 ? 2 : 4)}`;
}
