import { describe, expect, it } from 'vitest';
import { sampleEvents, sampleIds } from '../test/sample-events.js';
import { createCodec } from './codec.js';
import { schemaText } from './schemas.js';
import { UndecodableError } from './undecodable-error.js';

const written = createCodec({ ids: sampleIds, schemaById: () => Promise.reject(new Error('not asked')) });
const value = written.encode(sampleEvents.message);

/** A codec that knows no id, over a registry that gives these answers in turn; the last one stays. */
function codecOver(...answers: (() => Promise<string>)[]) {
  const asked: number[] = [];
  const codec = createCodec({
    ids: new Map(),
    schemaById(id) {
      const answer = answers[Math.min(asked.length, answers.length - 1)] as () => Promise<string>;
      asked.push(id);
      return answer();
    },
  });
  return { codec, asked };
}
const known = async () => schemaText('message');

describe('a schema id that this build did not register', () => {
  it('is asked for once by many values at a time, and never again', async () => {
    const { codec, asked } = codecOver(known);
    const events = await Promise.all(Array.from({ length: 50 }, () => codec.decode(value)));
    for (const event of events) expect(event).toEqual(sampleEvents.message);
    expect(codec.decode(value)).not.toBeInstanceOf(Promise);
    expect(asked).toEqual([sampleIds.get('message')]);
  });

  it('is asked for again after the registry was down', async () => {
    const down = Object.assign(new Error('registry is down'), { retryable: true });
    const { codec, asked } = codecOver(() => Promise.reject(down), known);
    const first = [codec.decode(value), codec.decode(value)];
    for (const waiting of first) await expect(waiting).rejects.toBe(down);
    expect(asked).toHaveLength(1);
    expect(await codec.decode(value)).toEqual(sampleEvents.message);
    expect(asked).toHaveLength(2);
  });

  it('is undecodable where the registry does not know it, with its answer as the cause', async () => {
    const cause = new Error('40403');
    const { codec } = codecOver(() => Promise.reject(cause));
    const error = await Promise.resolve(codec.decode(value)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UndecodableError);
    expect(error).toMatchObject({ cause, message: expect.stringContaining('Schema id 1 ') as string });
  });

  it('may be registered later: it is asked for again', async () => {
    const { codec } = codecOver(() => Promise.reject(new Error('40403')), known);
    await expect(codec.decode(value)).rejects.toThrow(UndecodableError);
    expect(await codec.decode(value)).toEqual(sampleEvents.message);
  });

  it.each([
    ['nothing', () => Promise.reject(undefined)],
    ['no JSON', async () => '<html>'],
    ['no Avro', async () => '{"type":"recor"}'],
    ['a text', async () => '"string"'],
    ['null', async () => 'null'],
    ['a union', async () => '["null","string"]'],
    ['a record that refers to a missing name', async () => '{"type":"record","name":"a","fields":[{}]}'],
    ['a name from Object.prototype', async () => '{"type":"record","name":"constructor","fields":[]}'],
  ])('is undecodable where the registry answers %s', async (_, answer) => {
    const { codec } = codecOver(answer as () => Promise<string>);
    await expect(codec.decode(value)).rejects.toThrow(UndecodableError);
  });
});
