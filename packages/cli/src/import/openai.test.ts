import { describe, expect, it } from 'vitest';
import { importFiles, outline } from './import-files.test-kit.js';

const files = importFiles();
const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('OpenAI chat files', () => {
  it('puts the text of an answer before its calls, which share a step', async () => {
    const { events, skipped } = await files.read('openai', 'chat.json', {
      messages: [
        { role: 'user', content: 'Where is it?' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [call('a', 'find', '{}'), call('b', 'map', '{}')],
        },
        { role: 'tool', tool_call_id: 'a', content: 'Lviv' },
        { role: 'tool', tool_call_id: 'b', content: '' },
      ],
    });
    expect(outline(events)).toEqual([
      'message user',
      'message assistant',
      'tool_call find a',
      'tool_call map b',
      'tool_result a',
      'tool_result b',
    ]);
    expect(events[2]?.step_id).toBe(events[3]?.step_id);
    expect(events[5]?.content).toBe('');
    expect(skipped).toEqual([]);
  });

  it.each([null, '', undefined, []])('makes only calls of an answer with content %j', async (content) => {
    const { events, skipped } = await files.read('openai', 'chat.json', {
      messages: [{ role: 'assistant', content, tool_calls: [call('a', 'find', '{}')] }],
    });
    expect(outline(events)).toEqual(['tool_call find a']);
    expect(skipped).toEqual([]);
  });

  it('passes arguments on as the text they are, big integers and broken JSON too', async () => {
    const texts = ['{"id": 12345678901234567890, "sum": 10.00}', '{"unclosed": ', ''];
    const { events } = await files.read('openai', 'chat.json', {
      messages: [{ role: 'assistant', tool_calls: texts.map((text, at) => call(`c${at}`, 'f', text)) }],
    });
    expect(events.map((event) => event.arguments)).toEqual(texts);
  });

  it('writes arguments that came as an object with numbers as they were', async () => {
    const { events } = await files.read(
      'openai',
      'chat.json',
      '{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"id":12345678901234567890,"sum":10.00}}}]}]}',
    );
    expect(events[0]?.arguments).toBe('{"id":12345678901234567890,"sum":10.00}');
  });

  it('keeps a call id that comes back in a later turn', async () => {
    const turn = [
      { role: 'assistant', tool_calls: [call('same', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'same', content: 'x' },
    ];
    const { events } = await files.read('openai', 'chat.json', { messages: [...turn, ...turn] });
    expect(events.map((event) => event.call_id)).toEqual(['same', 'same', 'same', 'same']);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(4);
    expect(events[0]?.step_id).not.toBe(events[2]?.step_id);
  });

  it('pairs a legacy function_call with its function message', async () => {
    const { events } = await files.read('openai', 'chat.json', [
      { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city":"Lviv"}' } },
      { role: 'function', name: 'weather', content: '18 C' },
    ]);
    expect(outline(events)).toEqual(['tool_call weather call-0', 'tool_result call-0']);
  });

  it('reads texts, images and refusals among content parts and says which parts it left out', async () => {
    const { events, reasons } = await files.read('openai', 'chat.json', [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } },
          { type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } },
          { type: 'input_audio', input_audio: {} },
        ],
      },
      { role: 'assistant', content: null, refusal: 'I cannot.' },
    ]);
    expect(events[0]?.content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image', mime: 'image/png', data: 'iVBORw0=' },
      { type: 'image', url: 'https://pictures.test/a.png' },
    ]);
    expect(events[1]?.content).toBe('I cannot.');
    expect(reasons.map(({ why }) => why)).toEqual(['content part "input_audio" is not kept']);
  });

  it('declares tools, settings and steps', async () => {
    const { events } = await files.read('openai', 'chat.json', {
      model: 'm-mid',
      tools: [
        { type: 'function', function: { name: 'f', description: 'Finds', parameters: { type: 'object' } } },
      ],
      messages: [{ role: 'developer', content: 'Be brief.' }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
    expect(events).toMatchObject([
      { type: 'conversation_settings', model: 'm-mid' },
      { type: 'tools_declared', tools: [{ name: 'f', summary: 'Finds', schema: { type: 'object' } }] },
      { type: 'message', role: 'developer' },
      {
        type: 'step',
        usage: { input: 12, output: 3, cache_read: 5, reasoning: 2 },
        usage_semantics: 'input_includes_cache',
      },
    ]);
  });

  it('does not pay for the sum beside its parts, nor for counts that are none', async () => {
    const { events, skipped } = await files.read('openai', 'chat.json', {
      messages: [
        { role: 'assistant', content: 'a', usage: { prompt_tokens: 1, completion_tokens: 1 } },
        { role: 'assistant', content: 'b', usage: { prompt_tokens: 'many', completion_tokens: -5 } },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 2 },
    });
    expect(outline(events)).toEqual(['message assistant', 'step', 'message assistant']);
    expect(skipped).toEqual([{ place: 'chat.json:0 message 1', why: 'the usage is not sound' }]);
  });

  it('skips what it cannot read and goes on', async () => {
    const { events, skipped } = await files.read('openai', 'chat.json', [
      null,
      'hello',
      { role: 'narrator', content: 'x' },
      { role: 'user', content: '' },
      { role: 'tool', content: 'no id' },
      { role: 'function', name: 'never', content: 'x' },
      { role: 'assistant', tool_calls: [7] },
      { role: 'user', content: 'here' },
    ]);
    expect(events).toMatchObject([{ role: 'user', content: 'here' }]);
    expect(skipped.map(({ place }) => place)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 6].map((index) => `chat.json:0 message ${index}`),
    );
  });

  it('reads a list of conversations and lines of either shape as conversations of their own', async () => {
    const one = { messages: [{ role: 'user', content: 'same' }] };
    const list = await files.read('openai', 'list.json', [one, one]);
    expect(new Set(list.events.map((event) => event.conversation_id)).size).toBe(2);
    const lines = await files.read(
      'openai',
      'lines.jsonl',
      `${JSON.stringify(one)}\n${JSON.stringify(one.messages)}\n`,
    );
    expect(new Set(lines.events.map((event) => event.conversation_id)).size).toBe(2);
  });
});
