import { identifiersOf } from '@palimpsest/strategy';
import type { SourceMessage } from '../language-model.js';
import { splitSentences } from '../sentences.js';
import { languageOf, LANGUAGES } from './languages/index.js';

interface Candidate {
  message: number;
  text: string;
  weight: number;
  /** Place in the conversation: the order of the summary, and what breaks a tie. */
  place: number;
}

/**
 * A summary made of the source's own sentences: those with decisions, promises and identifiers, in conversation order
 * and language, one line per speaker's message, at most `limit` by `count`. Tool results are not quoted: what they
 * held of identifiers is carried beside the text. Not empty unless nothing was said or `limit` is below one sentence.
 */
export function chooseSentences(
  messages: readonly SourceMessage[],
  language: string | null,
  limit: number,
  count: (text: string) => number,
): string {
  const labels = languageOf(
    messages.map((message) => message.text.slice(0, 200)).join(' '),
    language,
  ).speakers;
  const label = (message: SourceMessage): string => `${labels[message.role ?? 'unknown']}: `;
  const candidates = candidatesOf(messages);
  const order = candidates.toSorted((a, b) => b.weight - a.weight || a.place - b.place);
  const chosen: Candidate[] = [];
  const spoken = new Set<number>();
  let used = 0;
  for (const candidate of order) {
    const message = messages[candidate.message] as SourceMessage;
    const opens = !spoken.has(candidate.message);
    // A space or line break and a label count as their own tokens: never below the count of the whole.
    const cost = count(candidate.text) + 1 + (opens ? count(label(message)) : 0);
    if (used + cost > limit) continue;
    used += cost;
    spoken.add(candidate.message);
    chosen.push(candidate);
  }
  chosen.sort((a, b) => a.place - b.place);
  const lines: string[] = [];
  let speaking = -1;
  for (const { message, text } of chosen) {
    if (message === speaking) lines[lines.length - 1] += ` ${text}`;
    else lines.push(label(messages[message] as SourceMessage) + text);
    speaking = message;
  }
  return lines.join('\n');
}

function candidatesOf(messages: readonly SourceMessage[]): Candidate[] {
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  const goal = messages.findIndex((message) => message.kind === 'message' && message.role === 'user');
  messages.forEach((message, at) => {
    if (message.kind !== 'message') return;
    const own: Candidate[] = [];
    for (const text of splitSentences(message.text)) {
      if (seen.has(text)) continue;
      seen.add(text);
      const place = candidates.length + own.length;
      own.push({ message: at, text: text.replaceAll('\n', ' '), weight: weightOf(text, message), place });
    }
    if (at === goal) raiseGoal(own);
    candidates.push(...own);
  });
  return candidates;
}

/** What a user asks first is the goal. Of that message the weightiest sentence, else the longest: not its greeting. */
function raiseGoal(own: readonly Candidate[]): void {
  const [goal] = own.toSorted((a, b) => b.weight - a.weight || b.text.length - a.text.length);
  if (goal !== undefined) goal.weight += GOAL;
}

const GOAL = 10;

function weightOf(sentence: string, message: SourceMessage): number {
  let weight = message.role === 'user' ? 1 : 0;
  weight += 2 * Math.min(3, identifiersOf(sentence).length);
  if (LANGUAGES.some((language) => language.decisions.test(sentence))) weight += 3;
  if (LANGUAGES.some((language) => language.statements.some((rule) => rule.pattern.test(sentence))))
    weight += 2;
  if (/[?？]$/u.test(sentence)) weight -= 1;
  return weight;
}
