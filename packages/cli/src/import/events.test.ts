import { describe, expect, it } from 'vitest';
import { importFiles } from './import-files.test-kit.js';

const files = importFiles();
const said = (content: string, more: object = {}) => ({
  type: 'message',
  conversation_id: 'c-1',
  role: 'user',
  content,
  ...more,
});
const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

describe('our own events', () => {
  it('passes an event on as it is', async () => {
    const event = said('hi', {
      event_id: '0f0e0d0c-0b0a-4908-8706-050403020100',
      occurred_at: '2026-11-30T12:00:00Z',
      seq: 4,
    });
    expect((await files.read('events', 'a.jsonl', lines(event))).events).toEqual([event]);
  });

  it('gives equal lines ids of their own, and the same ones on every import', async () => {
    const first = await files.read('events', 'a.jsonl', lines(said('ok'), said('ok')));
    const again = await files.read('events', 'elsewhere/a.jsonl', lines(said('ok'), said('new'), said('ok')));
    const ids = first.events.map((event) => event.event_id);
    expect(new Set(ids).size).toBe(2);
    expect([again.events[0]?.event_id, again.events[2]?.event_id]).toEqual(ids);
  });

  it('skips a broken line and what the API would refuse, naming line and field', async () => {
    const { events, skipped } = await files.read(
      'events',
      'a.jsonl',
      `\n${lines(said('one'))}{"broken\n${lines(
        said('x', { role: 'robot' }),
        { type: 'shout', conversation_id: 'c' },
        { ...said('x'), conversation_id: '' },
        { ...said('x'), conversation_id: 'a\0b' },
        said('x', { event_id: 'seven' }),
        7,
        said('two'),
      )}`,
    );
    expect(events.map((event) => event.content)).toEqual(['one', 'two']);
    expect(skipped.map(({ place }) => place)).toEqual([3, 4, 5, 6, 7, 8, 9].map((line) => `a.jsonl:${line}`));
    expect(skipped.map(({ why }) => why.split(':')[0])).toEqual([
      'the line is not JSON',
      'role',
      'type',
      'conversation_id',
      'conversation_id',
      'event_id',
      'an event must be an object',
    ]);
  });

  it('keeps numbers as written where JSON is kept as text, and skips where they would change', async () => {
    const { events, skipped } = await files.read(
      'events',
      'a.jsonl',
      [
        '{"type":"tool_call","conversation_id":"c","call_id":"1","tool":"f","arguments":{"id":9007199254740993,"sum":10.00}}',
        '{"type":"tool_result","conversation_id":"c","call_id":"1","content":{"id":9007199254740993}}',
        '{"type":"tool_call","conversation_id":"c","call_id":"2","tool":"f","arguments":{"id":1}}',
        '{"type":"message","conversation_id":"c","role":"user","content":"x","seq":9007199254740993}',
        '{"type":"state_patch","conversation_id":"c","task_id":"t","patch":{"id":9007199254740993}}',
      ].join('\n'),
    );
    expect(events).toMatchObject([
      { arguments: '{"id":9007199254740993,"sum":10.00}' },
      { content: '{"id":9007199254740993}' },
      { arguments: { id: 1 } },
      { seq: '9007199254740993' },
    ]);
    expect(skipped).toEqual([
      { place: 'a.jsonl:5', why: 'a number in "patch" that JSON readers would change' },
    ]);
  });
});
