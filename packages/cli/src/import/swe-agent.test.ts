import { describe, expect, it } from 'vitest';
import { importFiles, outline } from './import-files.test-kit.js';

const files = importFiles();
const assistant = (content: string, id?: string) => ({
  role: 'assistant',
  content,
  thought: content,
  action: 'ls',
  agent: 'main',
  ...(id === undefined
    ? {}
    : { tool_calls: [{ id, function: { name: 'bash', arguments: '{"command":"ls"}' } }] }),
});

describe('SWE-agent trajectories', () => {
  it('reads calls and results of a history, the last step after it, tokens and outcome', async () => {
    const { events } = await files.read('swe-agent', 'repo-1.traj', {
      history: [
        { role: 'system', content: 'You fix.', agent: 'main' },
        { role: 'user', content: 'A demonstration', is_demo: true, agent: 'main' },
        assistant('I look.', 'c1'),
        { role: 'tool', content: 'a.py', tool_call_ids: ['c1'], agent: 'main' },
      ],
      trajectory: [
        { response: 'I look.', observation: 'a.py', action: 'ls' },
        { response: 'I submit.', observation: 'diff', action: 'submit' },
      ],
      info: {
        exit_status: 'submitted',
        model_stats: { tokens_sent: 900, tokens_received: 40, api_calls: 2 },
      },
      replay_config: JSON.stringify({ agent: { model: { name: 'm-code' } } }),
    });
    expect(outline(events)).toEqual([
      'task_started',
      'message system',
      'message user',
      'message assistant',
      'tool_call bash c1',
      'tool_result c1',
      'message assistant',
      'message user',
      'step',
      'task_finished completed',
    ]);
    expect(events[4]).toMatchObject({ agent: 'main', arguments: '{"command":"ls"}' });
    expect(events[8]).toMatchObject({ model: 'm-code', usage: { input: 900, output: 40 } });
  });

  it('reads an older history as plain messages, without a step where nothing was counted', async () => {
    const { events } = await files.read('swe-agent', 'old.traj', {
      history: [assistant('Look\n```\nls\n```'), { role: 'user', content: 'a.py' }],
      trajectory: [{ response: 'Look\n```\nls\n```', observation: 'a.py' }],
      info: { exit_status: 'exit_cost', model_stats: { tokens_sent: 0, tokens_received: 0 } },
    });
    expect(outline(events)).toEqual([
      'task_started',
      'message assistant',
      'message user',
      'task_finished failed',
    ]);
  });

  it.each([
    ['submitted', 'completed'],
    ['submitted (exit_cost)', 'failed'],
    ['exit_format', 'failed'],
  ])('takes exit status %s as %s', async (exit_status, outcome) => {
    const { events } = await files.read('swe-agent', 'a.traj', {
      history: [assistant('x')],
      info: { exit_status },
    });
    expect(events.at(-1)?.outcome).toBe(outcome);
  });

  it('has no task without an exit status', async () => {
    const { events } = await files.read('swe-agent', 'a.traj', { history: [assistant('x')] });
    expect(outline(events)).toEqual(['message assistant']);
  });

  it('reads the trajectory alone where there is no history', async () => {
    const { events } = await files.read('swe-agent', 'a.traj', {
      trajectory: [{ response: 'one', observation: 'seen' }, { thought: 'two' }],
    });
    expect(outline(events)).toEqual(['message assistant', 'message user', 'message assistant']);
  });

  it('closes every call that one observation answers', async () => {
    const { events } = await files.read('swe-agent', 'a.traj', {
      history: [assistant('x', 'c1'), { role: 'tool', content: 'both', tool_call_ids: ['c1', 'c2'] }],
    });
    const results = events.filter((event) => event.type === 'tool_result');
    expect(results).toMatchObject([
      { call_id: 'c1', content: 'both' },
      { call_id: 'c2', content: '' },
    ]);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length);
  });
});
