import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifiersOf } from '@palimpsest/strategy';
import type { SourceMessage } from '../language-model.js';
import { createExtractiveModel } from './extractive-model.js';

const model = createExtractiveModel({ countTokens: (text) => Math.ceil(text.length / 3) });
const signal = new AbortController().signal;
const talk = (...texts: string[]): SourceMessage[] =>
  texts.map((text, at) => ({
    id: `e${at}`,
    kind: 'message',
    role: at % 2 === 0 ? 'user' : 'assistant',
    text,
    tool: null,
    at,
  }));
const summarize = (messages: SourceMessage[], maxTokens = 200) =>
  model.summarize({ messages, language: null, maxTokens }, signal);

describe('summaries by rules', () => {
  it('keep goal, decisions and identifiers, in order, and say who spoke', async () => {
    const { text } = await summarize(
      talk(
        'Hello! I want to return order ORD-5512. The weather is lovely today, is it not.',
        'Sure thing. Let me look. It is a nice day indeed, and the birds sing in the trees around the office.',
        'Some small talk about nothing at all that goes on for quite a while and says very little.',
        'We approved the refund of $120.50. It arrives by 2024-05-20.',
      ),
      60,
    );
    expect(text).toMatch(/^User: .*I want to return order ORD-5512\./u);
    expect(text).toContain('Assistant: We approved the refund of $120.50.');
    expect(text).not.toContain('small talk');
    expect(text.indexOf('ORD-5512')).toBeLessThan(text.indexOf('$120.50'));
  });

  it.each([
    ['Хочу вернуть заказ №5512. Погода хорошая.', 'Пользователь: '],
    ['Хочу повернути замовлення №5512. Погода гарна, їй-бо.', 'Користувач: '],
  ])('speak the language of the source', async (source, label) => {
    const { text } = await summarize(talk(source, 'Ок.'));
    expect(text).toContain(`${label}Хочу`);
  });

  it('split text of a script without spaces', async () => {
    const { text } = await summarize(
      talk('你好。我要退货，订单号是AB-12345。今天天气很好，我们去公园走了很久很久很久。谢谢。'),
    );
    expect(text).toContain('订单号是AB-12345。');
  });

  it('never exceed the cap, and never lose an identifier when there is room to carry it', async () => {
    const word = fc.constantFrom(
      'ok.',
      'ORD-1234',
      'we decided.',
      '$5.00',
      'привет.',
      'слово',
      'да!',
      'a@b.co',
      '。',
      '好',
      'x\n',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 }),
        async (words) => {
          const messages = talk(...words.map((list) => list.join(' ')));
          const answer = await summarize(messages, 60).catch(() => null);
          if (answer === null) return;
          expect(Math.ceil(answer.text.length / 3)).toBeLessThanOrEqual(60);
          const kept = answer.text + answer.carried.join('\n');
          for (const message of messages) {
            for (const identifier of identifiersOf(message.text)) expect(kept).toContain(identifier);
          }
          expect(await summarize(messages, 60)).toEqual(answer);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('carry what tool results named, without quoting them', async () => {
    const result: SourceMessage = {
      id: 'r',
      kind: 'tool_result',
      role: null,
      text: '{"tracking":"TRK-998877"}',
      tool: 'get',
      at: 3,
    };
    const { text, carried } = await summarize([...talk('Where is my parcel ORD-1234?'), result]);
    expect(text).not.toContain('TRK');
    expect(carried).toEqual(['TRK-998877']);
  });
});
