import { adviseStrategy } from '../advise/advise-strategy.js';
import { type Profile, profileFromAnswers, profileOf, questions } from '../advise/profile.js';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import { eventsOfLog, sampleSessions } from '../simulate/sessions.js';
import { withStore } from '../stack/with-store.js';

/** `palimpsest advise`: the strategy for a recorded conversation, or for one that answers describe. */
export async function adviseCommand(
  given: readonly string[],
  options: { budget: number },
  environment: Environment,
  output: Output,
): Promise<void> {
  if (given.length === 0) {
    throw new UsageError(`Name a conversation, or answer what you know: ${questions()}.`);
  }
  const profile = given.some((one) => one.includes('='))
    ? answered(given, options.budget)
    : await recorded(given[0] as string, options.budget, environment, output);
  const advice = adviseStrategy(profile);
  output.line(advice.strategy);
  for (const line of advice.because) output.line(`  because ${line}`);
  for (const line of advice.also) output.line(`  also: ${line}`);
  output.line(
    `  seen: ${Object.entries(profile)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(', ')}`,
  );
  output.value({ ...advice, profile });
}

function answered(given: readonly string[], budget: number): Profile {
  try {
    return profileFromAnswers([`budget=${budget}`, ...given]);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

async function recorded(
  conversation: string,
  budget: number,
  environment: Environment,
  output: Output,
): Promise<Profile> {
  const [session] = await withStore(environment, output.progress, (store) =>
    store.withLog(async (log) => {
      const codec = await store.codec();
      const decode = (record: { value: Buffer | null; headers: Record<string, string> }) =>
        codec.decode(record.value as Buffer, record.headers);
      return sampleSessions(eventsOfLog(log, decode), 1, conversation);
    }),
  );
  if (session === undefined) {
    throw new CommandError(
      `There is no conversation "${conversation}" in the log: "palimpsest import" brings sessions.`,
    );
  }
  return profileOf(session.events, budget);
}
