import { describe, expect, it } from 'vitest';
import { CommitMirror, type MirroredOffset } from './commit-mirror.js';

function mirrorWith(answers: (() => Promise<void>)[] = []) {
  const sent: string[][] = [];
  const send = async (offsets: MirroredOffset[]): Promise<void> => {
    sent.push(offsets.map(({ topic, partition, offset }) => `${topic}/${partition}:${offset}`));
    await answers.shift()?.();
  };
  return { mirror: new CommitMirror(send), sent };
}

describe('the mirror of checkpoints', () => {
  it('sends the newest offset of each partition, one request at a time', async () => {
    let release: (() => void) | undefined;
    const { mirror, sent } = mirrorWith([() => new Promise((resolve) => (release = resolve))]);
    const first = mirror.commit('t', 0, 1n);
    await new Promise((resolve) => setImmediate(resolve));
    const later = [mirror.commit('t', 0, 2n), mirror.commit('t', 1, 7n), mirror.commit('t', 0, 3n)];
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([['t/0:1']]);
    release?.();
    await Promise.all([first, ...later]);
    expect(sent).toEqual([['t/0:1'], ['t/0:3', 't/1:7']]);
  });

  it('says nothing when the partition is no longer ours', async () => {
    const error = Object.assign(new Error('old'), { type: 'ILLEGAL_GENERATION' });
    const { mirror } = mirrorWith([() => Promise.reject(error)]);
    await expect(mirror.commit('t', 0, 1n)).resolves.toBeUndefined();
  });

  it('tells of any other error, and goes on with the next', async () => {
    const { mirror, sent } = mirrorWith([() => Promise.reject(new Error('broken'))]);
    await expect(mirror.commit('t', 0, 1n)).rejects.toThrow(/did not take the mirrored offsets/);
    await mirror.commit('t', 0, 2n);
    expect(sent).toHaveLength(2);
  });

  it('waits for what is under way', async () => {
    const { mirror, sent } = mirrorWith();
    void mirror.commit('t', 0, 1n);
    await mirror.settled();
    expect(sent).toEqual([['t/0:1']]);
  });
});
