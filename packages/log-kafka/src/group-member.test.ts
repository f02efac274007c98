import type { Consumer, Kafka } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GroupMember } from './group-member.js';

const EVENTS = { GROUP_JOIN: 'join', HEARTBEAT: 'beat', REBALANCING: 'rebalancing', CRASH: 'crash' };

/** Consumers that do nothing but let the test emit kafkajs's events at them. */
function fakeKafka() {
  const made: { emit(event: string, payload?: unknown): void; pause: ReturnType<typeof vi.fn> }[] = [];
  const consumer = (): Partial<Consumer> => {
    const listeners = new Map<string, (event: unknown) => void>();
    const pause = vi.fn();
    made.push({ emit: (event, payload) => listeners.get(event)?.({ payload }), pause });
    return {
      events: EVENTS as unknown as Consumer['events'],
      on: ((event: string, listener: (event: unknown) => void) =>
        void listeners.set(event, listener)) as unknown as Consumer['on'],
      connect: async () => undefined,
      subscribe: async () => undefined,
      run: async () => undefined,
      disconnect: async () => undefined,
      pause,
    };
  };
  return { kafka: { consumer } as unknown as Kafka, made };
}

describe('a member of a group', () => {
  const { kafka, made } = fakeKafka();
  const onAssigned = vi.fn();
  const onRevoked = vi.fn();
  const onFailed = vi.fn();
  let member: GroupMember;
  const consumer = () => made.at(-1) as (typeof made)[number];
  const joined = (): void => consumer().emit('join', { memberAssignment: { t: [0, 2] } });

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    made.length = 0;
    vi.clearAllMocks();
    const options = { group: 'g', topics: ['t'], sessionTimeoutMs: 1000, heartbeatMs: 100 };
    member = new GroupMember(kafka, { ...options, onAssigned, onRevoked, onFailed });
    await member.join();
  });
  afterEach(async () => {
    await member.leave();
    vi.useRealTimers();
  });

  it('pauses everything before it says what is ours, so that kafkajs never fetches', () => {
    onAssigned.mockImplementation(() => expect(consumer().pause).toHaveBeenCalledWith([{ topic: 't' }]));
    joined();
    expect(onAssigned).toHaveBeenCalledWith([
      { topic: 't', partition: 0 },
      { topic: 't', partition: 2 },
    ]);
  });

  it('gives everything back when the group shares out anew', () => {
    joined();
    consumer().emit('rebalancing');
    expect(onRevoked).toHaveBeenCalledOnce();
  });

  it('holds delivery back when no heartbeat was answered for a session, until one is', async () => {
    const signal = new AbortController().signal;
    joined();
    await member.confirmed(signal);
    vi.advanceTimersByTime(1001);
    let confirmed = false;
    const waiting = member.confirmed(signal).then(() => (confirmed = true));
    await Promise.resolve();
    expect(confirmed).toBe(false);
    consumer().emit('beat');
    expect(await waiting).toBe(true);
  });

  it('does not hold back who gives up', async () => {
    const abort = new AbortController();
    const waiting = member.confirmed(abort.signal);
    abort.abort();
    await waiting;
  });

  it('joins anew after a crash that kafkajs does not recover from', async () => {
    joined();
    consumer().emit('crash', { error: new TypeError('a fault of kafkajs'), restart: false });
    expect(onRevoked).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1000);
    expect(made).toHaveLength(2);
    expect(onFailed).not.toHaveBeenCalled();
  });

  it('leaves a crash to kafkajs that it recovers from', async () => {
    consumer().emit('crash', { error: new Error('connection lost'), restart: true });
    await vi.advanceTimersByTimeAsync(5000);
    expect(made).toHaveLength(1);
  });

  it('fails when it lacks the rights', () => {
    const error = Object.assign(new Error('no'), { type: 'GROUP_AUTHORIZATION_FAILED' });
    consumer().emit('crash', { error, restart: false });
    expect(onFailed).toHaveBeenCalledWith(error);
  });
});
