import { describe, expect, it } from 'vitest';
import { importFiles, outline } from './import-files.test-kit.js';

const files = importFiles();
const traj = [
  { role: 'system', content: 'Policy' },
  { role: 'user', content: 'Book it' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', function: { name: 'book', arguments: '{"n":1}' } }],
  },
  { role: 'tool', tool_call_id: 'c', name: 'book', content: 'ok' },
];
const run = (task_id: number, trial: number, reward: number | null) => ({
  task_id,
  trial,
  reward,
  traj,
  info: { task: { instruction: 'the right answer' } },
});

describe('tau-bench files', () => {
  it('reads a trajectory with its outcome and none of the right answer', async () => {
    const { events } = await files.read('tau-bench', 'm-airline.json', [run(3, 0, 1), run(3, 1, 0)]);
    expect(outline(events.slice(0, 6))).toEqual([
      'task_started',
      'message system',
      'message user',
      'tool_call book c',
      'tool_result c',
      'task_finished completed',
    ]);
    expect(outline(events.slice(-1))).toEqual(['task_finished failed']);
    expect(JSON.stringify(events)).not.toContain('right answer');
    expect(events[0]?.conversation_id).toMatch(/^tau-bench\/m-airline\/task-3\/trial-0~[0-9a-f]{8}$/);
    expect(events[6]?.conversation_id).toMatch(/^tau-bench\/m-airline\/task-3\/trial-1~[0-9a-f]{8}$/);
  });

  it('gives no outcome without a reward', async () => {
    const { events, reasons } = await files.read('tau-bench', 'm.json', [run(1, 0, null)]);
    expect(events.map((event) => event.type)).not.toContain('task_finished');
    expect(reasons).toMatchObject([{ why: 'the task has no reward, so no outcome', count: 1 }]);
  });

  it('makes a whole pair of every tool line whose call was lost', async () => {
    const { events, skipped } = await files.read('tau-bench', 'few.jsonl', {
      messages_display:
        'user: Hi\nsecond line: of it\nassistant: None\ntool: Error: not found\nassistant: Let me see.\ntool: {"a":1}\ntool:\nassistant: Done\nuser: \nassistant: None',
    });
    expect(outline(events)).toEqual([
      'message user',
      'tool_call unknown call-2',
      'tool_result call-2',
      'message assistant',
      'tool_call unknown call-4',
      'tool_result call-4',
      'tool_call unknown call-5',
      'tool_result call-5',
      'message assistant',
    ]);
    expect(events[0]?.content).toBe('Hi\nsecond line: of it');
    expect(events[1]?.arguments).toBe('{}');
    expect(events[2]?.content).toBe('Error: not found');
    expect(skipped.map(({ why }) => why)).toEqual(['the message is empty', 'a lost call without a result']);
  });
});
