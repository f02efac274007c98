import { type ChatEvent, type ContentPart, textPart } from '@palimpsest/events';
import { mulberry32 } from '../bench-store.js';
import type { Corpus } from './corpora.js';

/**
 * Conversations from a fixed seed: a user who names orders, sums, dates and addresses in three languages, and an agent
 * that calls tools in parallel. `dirty` ones also have what logs have: orphans, missing and late results, ids used
 * again, empty and image messages, huge results, unbroken runs, special tokens, broken Unicode.
 */
export function generated(count: number, kind: 'clean' | 'dirty'): Corpus {
  const histories = Array.from({ length: count }, (_, at) =>
    conversation(`${kind}-${at}`, mulberry32(at * 2 + (kind === 'dirty' ? 1 : 0)), kind === 'dirty'),
  );
  return { name: `generated, ${kind}`, histories };
}

type Random = () => number;

function conversation(id: string, random: Random, dirty: boolean): ChatEvent[] {
  const events: ChatEvent[] = [];
  const add = (body: object): void => {
    events.push({
      event_id: `00000000-0000-4000-8000-${events.length.toString(16).padStart(12, '0')}`,
      tenant: 'bench',
      conversation_id: id,
      seq: null,
      occurred_at: 1_790_000_000_000 + events.length * 1000,
      client_id: null,
      task_id: null,
      agent: null,
      ...body,
    } as ChatEvent);
  };
  const message = (role: string, content: string | ContentPart[]): void =>
    add({ type: 'message', role, content: typeof content === 'string' ? [textPart(content)] : content });
  message('system', 'You are an agent of a shop. Follow its rules; ask before you refund.');
  const turns = 4 + Math.floor(random() * 40);
  for (let turn = 0; turn < turns; turn += 1) {
    if (dirty && random() < 0.3) addDirt(add, message, random, turn);
    message('user', sentence(random));
    const calls = Math.floor(random() * 4);
    const results: object[] = [];
    for (let call = 0; call < calls; call += 1) {
      const call_id = dirty && random() < 0.2 ? `call-${call}` : `call-${turn}-${call}`;
      const args = JSON.stringify({ order: orderId(random), page: call });
      add({ type: 'tool_call', call_id, tool: pick(TOOLS, random), arguments: args, step_id: null });
      if (dirty && random() < 0.1) continue;
      const content = [textPart(resultText(random, dirty && random() < 0.1 ? 40 : 1))];
      results.push({
        type: 'tool_result',
        call_id,
        content,
        content_type: null,
        is_error: random() < 0.05,
      });
    }
    if (dirty && random() < 0.1) message('user', 'wait, are you there?');
    for (const result of results) add(result);
    message('assistant', sentence(random));
  }
  return events;
}

function addDirt(
  add: (body: object) => void,
  message: (role: string, content: string | ContentPart[]) => void,
  random: Random,
  turn: number,
): void {
  const image = { ...textPart(''), kind: 'image' as const, text: null, mime: 'image/png', data: 'aWNvbg==' };
  const dirt = [
    () => message('user', ''),
    () => message('user', [textPart('look at this'), image]),
    () => message('assistant', '   '),
    () => message('user', 'a'.repeat(Math.floor(random() * 30_000))),
    () => message('user', 'say <|endoftext|> and <|im_start|> again'),
    () => message('user', 'Київ 😀 東京の注文 \ud83d end'),
    () =>
      add({
        type: 'tool_result',
        call_id: `gone-${turn}`,
        content: [textPart(resultText(random, 2))],
        content_type: null,
        is_error: false,
      }),
  ];
  pick(dirt, random)();
}

const TOOLS = ['search', 'get_order', 'refund', 'fetch_page'];
const STREETS = ['Elm Street', 'вулиця Зелена', 'улица Мира'];

function sentence(random: Random): string {
  const order = orderId(random);
  const sum = `$${(random() * 900).toFixed(2)}`;
  const day = `2026-0${1 + Math.floor(random() * 9)}-${10 + Math.floor(random() * 18)}`;
  const street = `${pick(STREETS, random)} ${100 + Math.floor(random() * 900)}`;
  return pick(
    [
      `My order ${order} of ${day} has not come to ${street}.`,
      `I paid ${sum} for ${order}. Please send it back to the same card, I want no voucher.`,
      `Мой заказ ${order} должен был прийти ${day}, адрес ${street}.`,
      `Я сплатила ${sum} за ${order}, коли повернуть кошти?`,
      `The refund of ${sum} for ${order} was sent on ${day}.`,
      `Write to customer${Math.floor(random() * 9999)}@example.com when ${order} is on its way.`,
    ],
    random,
  );
}

function resultText(random: Random, size: number): string {
  const rows = Array.from({ length: size * (2 + Math.floor(random() * 8)) }, () => ({
    id: orderId(random),
    status: pick(['packed', 'sent', 'скасовано'], random),
    total: Number((random() * 900).toFixed(2)),
    note: null,
  }));
  return pick(
    [
      () => JSON.stringify({ ok: true, rows }),
      () => rows.map((row) => `${row.id},${row.status},${row.total}`).join('\n'),
      () =>
        `<html><body><nav>menu</nav><table>${rows
          .map((row) => `<tr><td>${row.id}</td><td>${row.total}</td></tr>`)
          .join('')}</table></body></html>`,
      () => `Error: not found\n${rows.map((row) => `    at find${row.id} (lib/x.js:1:2)`).join('\n')}`,
    ],
    random,
  )();
}

function orderId(random: Random): string {
  return `ORD-${10_000 + Math.floor(random() * 90_000)}`;
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}
