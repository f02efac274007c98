import { describe, expect, it } from 'vitest';
import { importFiles, outline } from './import-files.test-kit.js';

const files = importFiles();

describe('Anthropic message files', () => {
  it('reads system, thinking with its signature, parallel calls and their results', async () => {
    const { events, skipped } = await files.read('anthropic', 'chat.json', {
      system: [{ type: 'text', text: 'You help.' }],
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Two cities.', signature: 'c2ln+/==' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Lviv' } },
            { type: 'tool_use', id: 't2', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: '18 C' },
            {
              type: 'tool_result',
              tool_use_id: 't2',
              is_error: true,
              content: [{ type: 'text', text: 'down' }],
            },
            { type: 'text', text: 'And Kyiv?' },
          ],
        },
      ],
    });
    expect(outline(events)).toEqual([
      'message system',
      'message user',
      'message assistant',
      'tool_call weather t1',
      'tool_call weather t2',
      'tool_result t1',
      'tool_result t2',
      'message user',
    ]);
    expect(events[2]?.content).toEqual([
      { type: 'thinking', text: 'Two cities.', signature: 'c2ln+/==' },
      { type: 'text', text: 'I look.' },
    ]);
    expect(events[3]).toMatchObject({ arguments: '{"city":"Lviv"}', step_id: 'step-1' });
    expect(events[4]).toMatchObject({ arguments: '{}', step_id: 'step-1' });
    expect(events[5]).not.toHaveProperty('is_error');
    expect(events[6]).toMatchObject({ content: 'down', is_error: true });
    expect(skipped).toEqual([]);
  });

  it('writes big integers of an input as they were', async () => {
    const { events } = await files.read(
      'anthropic',
      'chat.json',
      '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"id":9007199254740993}}]}]}',
    );
    expect(events[0]?.arguments).toBe('{"id":9007199254740993}');
  });

  it('keeps images, and a result without content as an empty one', async () => {
    const { events } = await files.read('anthropic', 'chat.json', [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
          { type: 'image', source: { type: 'url', url: 'https://pictures.test/a.png' } },
          { type: 'tool_result', tool_use_id: 't1' },
        ],
      },
    ]);
    expect(events[0]).toMatchObject({ type: 'tool_result', content: '' });
    expect(events[1]?.content).toEqual([
      { type: 'image', mime: 'image/png', data: 'iVBORw0=' },
      { type: 'image', url: 'https://pictures.test/a.png' },
    ]);
  });

  it('says that redacted thinking and unknown blocks are left out', async () => {
    const { events, reasons } = await files.read('anthropic', 'chat.json', [
      {
        role: 'assistant',
        content: [
          { type: 'redacted_thinking', data: 'abc' },
          { type: 'server_tool_use', id: 's' },
          { type: 'text', text: 'Done.' },
        ],
      },
      { role: 'robot', content: 'x' },
      { role: 'user', content: [] },
    ]);
    expect(events).toMatchObject([{ content: 'Done.' }]);
    expect(reasons.map(({ why }) => why).toSorted()).toEqual([
      'content block "server_tool_use" is not kept',
      'redacted thinking is not kept: events have no place for it',
      'role "robot" is not known',
      'the message is empty',
    ]);
  });

  it('makes a step of usage, with cache writes by lifetime', async () => {
    const { events } = await files.read('anthropic', 'chat.json', {
      model: 'm-top',
      messages: [
        {
          role: 'assistant',
          content: 'Hi',
          usage: {
            input_tokens: 10,
            output_tokens: 4,
            cache_read_input_tokens: 100,
            cache_creation_input_tokens: 30,
            cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
          },
        },
      ],
    });
    expect(events.at(-1)).toMatchObject({
      type: 'step',
      provider: 'anthropic',
      model: 'm-top',
      usage: { input: 10, output: 4, cache_read: 100, cache_write_5m: 10, cache_write_1h: 20 },
      usage_semantics: 'input_excludes_cache',
    });
  });
});
