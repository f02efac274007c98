import { type JobState, type ListedJob, listJobs, refusedAnswer, retryJobs } from '@palimpsest/derivations';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import { withStore } from '../stack/with-store.js';

/** `palimpsest jobs list`. */
export async function listJobsCommand(
  asked: { state?: readonly JobState[]; conversation?: string; limit: number },
  environment: Environment,
  output: Output,
): Promise<void> {
  if (!Number.isInteger(asked.limit) || asked.limit < 1)
    throw new UsageError('--limit is a whole number from 1.');
  const { state, conversation, limit } = asked;
  const jobs = await withStore(environment, output.progress, ({ pool }) =>
    listJobs(pool, {
      limit,
      ...(state === undefined ? {} : { states: state }),
      ...(conversation === undefined ? {} : { conversation }),
    }),
  );
  const table = new Table({
    head: ['job', 'of', 'conversation', 'range', 'state', 'try', 'when', 'why'],
    style: { head: [] },
  });
  for (const job of jobs) {
    table.push([
      job.id,
      `${job.purpose} (generation ${job.generation})`,
      `${job.tenant}/${job.conversation}`.slice(0, 60),
      `${job.from}–${job.to}`,
      job.state,
      job.attempt,
      job.at.toISOString(),
      firstLine(job.reason).slice(0, 80),
    ]);
  }
  output.line(jobs.length === 0 ? 'There are no such jobs.' : table.toString());
  output.value(jobs.map(described));
}

/** `palimpsest jobs show`. */
export async function showJobCommand(id: string, environment: Environment, output: Output): Promise<void> {
  await withStore(environment, output.progress, async ({ pool }) => {
    const [job] = await listJobs(pool, { ids: [checkedId(id)] });
    if (job === undefined)
      throw new CommandError(`There is no job ${id}: "palimpsest jobs list" shows those there are.`);
    const refused = await refusedAnswer(pool, job);
    for (const [name, value] of Object.entries(described(job))) {
      if (value !== null) output.line(`${name}: ${String(value)}`);
    }
    if (refused !== null) output.line(`refused (${refused.reason}):\n${refused.answer}`);
    output.value({ ...described(job), refused });
  });
}

/** `palimpsest jobs retry`. */
export async function retryJobsCommand(
  asked: { ids: readonly string[]; all: boolean },
  environment: Environment,
  output: Output,
): Promise<void> {
  if (asked.all === asked.ids.length > 0)
    throw new UsageError('Name the jobs to ask again, as "jobs list" shows them, or say --all.');
  await withStore(environment, output.progress, async ({ pool }) => {
    const ids = asked.all
      ? (await listJobs(pool, { states: ['failed', 'rejected'] })).map((job) => job.id)
      : asked.ids.map(checkedId);
    const again = await retryJobs(pool, ids);
    for (const id of again) output.line(`asked again  ${id}`);
    const missing = ids.filter((id) => !again.includes(id));
    output.value({ retried: again, not_ended: missing });
    if (missing.length > 0 && !asked.all)
      throw new CommandError(`No job that has ended: ${missing.join(', ')}. See "palimpsest jobs list".`);
    if (again.length === 0) output.line('There is nothing to ask again.');
  });
}

function checkedId(id: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(id))
    throw new UsageError(`"${id}" is not a job's id: "palimpsest jobs list" shows them.`);
  return id.toLowerCase();
}

function firstLine(text: string | null): string {
  return text?.split('\n', 1)[0] ?? '';
}

function described(job: ListedJob): Record<string, unknown> {
  return {
    id: job.id,
    purpose: job.purpose,
    generation: job.generation,
    tenant: job.tenant,
    conversation_id: job.conversation,
    from: String(job.from),
    to: String(job.to),
    state: job.state,
    reason: job.reason,
    attempt: job.attempt,
    at: job.at.toISOString(),
    model: job.model,
    prompt_hash: job.promptHash,
    input_hash: job.inputHash,
    answer_hash: job.answerHash,
  };
}
