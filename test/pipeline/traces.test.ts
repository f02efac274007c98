import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFiles, type Imported } from '../../packages/cli/src/commands/import.js';
import type { ImportFormat } from '../../packages/cli/src/import/read-import.js';
import { ROOT } from '../harness/command-line.js';
import { sentTokens } from '../harness/fold-in-memory.js';
import { type RunningStack, runStack } from '../harness/running-stack.js';
import { type StoreSnapshot, storeSnapshot } from '../harness/store-snapshot.js';
import { openAiViolations } from '@palimpsest/strategy/testing';

/** Recorded sessions of others; not part of the repository. */
const DATA = path.resolve(ROOT, '../shared/data');
const isThere = existsSync(DATA);
if (!isThere)
  process.stderr.write(`SKIPPED test/pipeline/traces: there is no ${path.relative(ROOT, DATA)}\n`);

const BUDGETS = [2000, 4000, 8000];

describe.skipIf(!isThere)('recorded sessions of tau-bench and SWE-agent', () => {
  let stack: RunningStack;
  let first: Imported[];
  let before: StoreSnapshot;
  beforeAll(async () => {
    stack = await runStack();
    first = await importAll();
    before = await storeSnapshot(stack);
  });
  afterAll(() => stack?.close());

  const importAll = async (): Promise<Imported[]> => {
    const done: Imported[] = [];
    for (const [format, ending] of [
      ['tau-bench', /\.jsonl?$/],
      ['swe-agent', /\.traj$/],
    ] as [ImportFormat, RegExp][]) {
      const files = readdirSync(path.join(DATA, format))
        .filter((name) => ending.test(name))
        .toSorted()
        .map((name) => path.join(DATA, format, name));
      done.push(await importFiles(format, files, stack));
    }
    await stack.settled();
    return done;
  };

  it('are taken, every file', () => {
    for (const imported of first) {
      expect(imported.files).toBeGreaterThan(0);
      expect(imported.accepted).toBeGreaterThan(0);
      expect(imported.duplicates).toBe(0);
    }
  });

  it('change nothing when they are imported again', async () => {
    const second = await importAll();
    for (const [at, again] of second.entries()) {
      expect(again).toMatchObject({ accepted: 0, duplicates: first[at]?.accepted });
    }
    expect(await storeSnapshot(stack)).toEqual(before);
  });

  it('give contexts that the provider takes, within 2,000, 4,000 and 8,000 tokens', async () => {
    const encoder = new Tiktoken(o200k);
    const lengths = new Map<string, number>();
    // Ours is checked against another's count; one text stands in many contexts.
    const count = (text: string): number => {
      const known = lengths.get(text);
      if (known !== undefined) return known;
      const tokens = encoder.encode(text, [], []).length;
      lengths.set(text, tokens);
      return tokens;
    };
    const conversations = await stack.rows<{ id: string }>(
      'select conversation_id as id from palimpsest.context_views where generation = 1 order by 1',
    );
    let cut = 0;
    for (const { id } of conversations) {
      for (const budget of BUDGETS) {
        const { status, body } = await stack.ask(
          `/v1/conversations/${encodeURIComponent(id)}/context?budget=${budget}`,
        );
        expect(status, `${id} at ${budget}: ${JSON.stringify(body).slice(0, 500)}`).toBe(200);
        expect(openAiViolations(body.messages), `${id} at ${budget}`).toEqual([]);
        expect(sentTokens(body.messages, count), `${id} at ${budget}`).toBeLessThanOrEqual(budget);
        expect(body.messages.length).toBeGreaterThan(0);
        if (body.left_out.length > 0) cut += 1;
      }
    }
    process.stderr.write(
      `traces: ${conversations.length} conversations at ${BUDGETS.length} budgets, ${cut} contexts left something out\n`,
    );
    expect(conversations.length).toBeGreaterThan(20);
    expect(cut).toBeGreaterThan(0);
  });
});
