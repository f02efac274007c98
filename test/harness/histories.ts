import { type ChatEvent, type ContentPart, textPart } from '@palimpsest/events';
import fc from 'fast-check';
import { History } from './history.js';

export { History };

const words = [
  'order 55',
  'заказ №4471',
  'замовлення',
  'refund',
  'Київ 😀',
  '東京',
  'a<|endoftext|>b',
  '{"a":1}',
  ' ',
  'x'.repeat(40),
];
const shortText = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((list) => list.join(' '));
const hugeText = fc.oneof(
  fc.nat({ max: 4000 }).map((n) => 'слово '.repeat(n)),
  fc
    .nat({ max: 3000 })
    .map((n) =>
      JSON.stringify({ items: Array.from({ length: n % 300 }, (_, i) => ({ id: i, name: `item ${i}` })) }),
    ),
  fc.nat({ max: 8000 }).map((n) => 'a'.repeat(n)),
  fc
    .nat({ max: 400 })
    .map((n) => `Error: boom\n${'    at lib.f (lib/x.js:1:2)\n'.repeat(n)}Caused by: refused db:5432`),
  fc
    .nat({ max: 200 })
    .map((n) => `<html><body><script>var x</script>${'<p>text</p>'.repeat(n)}</body></html>`),
  fc.constant('\ud83d broken \0 text'),
);
const anyText = fc.oneof({ weight: 6, arbitrary: shortText }, { weight: 1, arbitrary: hugeText });

type Note =
  | { kind: 'message'; role: 'user' | 'assistant' | 'system'; text: string }
  | { kind: 'image' }
  | { kind: 'thinking'; text: string; signed: boolean }
  | {
      kind: 'turn';
      calls: number;
      step: boolean;
      missing: boolean;
      late: boolean;
      reuse: boolean;
      odd: boolean;
      texts: string[];
    }
  | { kind: 'orphan'; text: string }
  | { kind: 'correction'; back: number }
  | { kind: 'patch'; task: number; patch: string }
  | { kind: 'phase'; task: number; phase: string }
  | { kind: 'tools'; count: number; long: boolean }
  | { kind: 'pin'; back: number }
  | { kind: 'unpin'; back: number };

/** Pins look this far back, over messages, calls and results alike. */
const PIN_REACH = 30;

const note: fc.Arbitrary<Note> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('message' as const),
      role: fc.constantFrom('user' as const, 'assistant' as const),
      text: anyText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('message' as const),
      role: fc.constant('system' as const),
      text: shortText,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'image' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('thinking' as const), text: shortText, signed: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      step: fc.boolean(),
      missing: fc.boolean(),
      late: fc.boolean(),
      reuse: fc.boolean(),
      odd: fc.boolean(),
      texts: fc.array(anyText, { minLength: 3, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('orphan' as const), text: shortText }) },
);
const pinNote: fc.Arbitrary<Note> = fc.record({
  kind: fc.constantFrom('pin' as const, 'unpin' as const),
  back: fc.nat({ max: PIN_REACH }),
});

const value = fc.oneof(
  shortText,
  fc.constant(null),
  fc.constant(12345678901234567890n),
  fc.array(shortText, { maxLength: 3 }),
);
const controlNote: fc.Arbitrary<Note> = fc.oneof(
  fc.record({ kind: fc.constant('correction' as const), back: fc.nat({ max: PIN_REACH }) }),
  fc.record({
    kind: fc.constant('patch' as const),
    task: fc.nat({ max: 6 }),
    patch: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.dictionary(fc.constantFrom('goal', 'decisions', 'n', 'phase'), value).map(toJson),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '[1]',
          'no json',
          '{"a":{"b":null,"c":{}}}',
          '{"decisions":{"add":["x\\u0000"]}}',
        ),
      },
    ),
  }),
  fc.record({
    kind: fc.constant('phase' as const),
    task: fc.nat({ max: 6 }),
    phase: fc.constantFrom('one', 'two'),
  }),
  fc.record({ kind: fc.constant('tools' as const), count: fc.nat({ max: 12 }), long: fc.boolean() }),
);

/** JSON text with big integers as digits. */
function toJson(given: object): string {
  return JSON.stringify(given, (_, one: unknown) => (typeof one === 'bigint' ? `#${one}#` : one)).replace(
    /"#(\d+)#"/g,
    '$1',
  );
}

/** Histories with parallel, open, orphaned and late calls, reused and odd ids, huge and odd texts, images, thinking; pins, and patches, phases, tools and corrections, on request. */
export function histories(options: {
  pins: boolean;
  control?: boolean;
  seq?: boolean;
  maxNotes?: number;
}): fc.Arbitrary<ChatEvent[]> {
  const any = fc.oneof(
    { weight: 9, arbitrary: note },
    ...(options.pins ? [{ weight: 1, arbitrary: pinNote }] : []),
    ...(options.control === true ? [{ weight: 2, arbitrary: controlNote }] : []),
  );
  return fc
    .tuple(fc.array(any, { minLength: 1, maxLength: options.maxNotes ?? 40 }), fc.boolean())
    .map(([notes, seq]) => toEvents(notes, options.seq ?? seq));
}

function toEvents(notes: readonly Note[], seq: boolean): ChatEvent[] {
  const history = new History('c1', 'acme', seq);
  for (const [turn, one] of notes.entries()) {
    if (one.kind === 'message') history.message(one.role, one.text);
    else if (one.kind === 'image') {
      const image: ContentPart = {
        kind: 'image',
        text: null,
        mime: 'image/png',
        data: 'iVBORw0KGgo=',
        url: null,
        signature: null,
      };
      history.message('user', [textPart('look'), image]);
    } else if (one.kind === 'thinking') {
      const signature = one.signed ? `sig+/=${turn}` : null;
      const thought: ContentPart = { ...textPart(' hm\n'), kind: 'thinking', signature };
      history.message('assistant', [thought, textPart(one.text)]);
    } else if (one.kind === 'patch') history.patch(`task-${one.task}`, one.patch);
    else if (one.kind === 'phase') history.phase(`task-${one.task}`, one.phase);
    else if (one.kind === 'tools') history.tools(toolsOf(one.count, one.long));
    else if (one.kind === 'orphan') history.result(`gone-${turn}`, one.text);
    else if (one.kind === 'pin' || one.kind === 'unpin' || one.kind === 'correction') {
      const target = history.events[history.events.length - 1 - one.back];
      if (target !== undefined) history[one.kind](target.event_id);
    } else addTurn(history, one, turn);
  }
  return history.events;
}

function toolsOf(count: number, long: boolean) {
  return Array.from({ length: count }, (_, n) => ({
    name: `tool_${n}`,
    summary: `Does ${n}.`,
    schema: {
      type: 'object',
      properties: { q: { type: 'string', description: 'what '.repeat(long ? 300 : 3) } },
    },
    phases: n % 3 === 0 ? ['one'] : [],
  }));
}

function addTurn(history: History, turn: Extract<Note, { kind: 'turn' }>, index: number): void {
  const id = (n: number): string => {
    if (turn.reuse) return turn.odd ? `виклик ${n}` : `call_${n}`;
    return turn.odd ? `call:${index}/${n}` : `call_${index}_${n}`;
  };
  for (let n = 0; n < turn.calls; n += 1) {
    history.call(
      id(n),
      'search',
      `{"q":${JSON.stringify(turn.texts[n]?.slice(0, 50).toWellFormed())}}`,
      turn.step ? `step-${index}` : null,
    );
  }
  if (turn.late) history.message('user', 'and?');
  for (let n = turn.missing ? 1 : 0; n < turn.calls; n += 1) history.result(id(n), turn.texts[n] ?? '');
}
