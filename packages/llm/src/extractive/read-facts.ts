import type { ExtractedFact } from '@palimpsest/events';
import { identifiersOf } from '@palimpsest/strategy';
import type { FactsRequest, SourceMessage } from '../language-model.js';
import { splitSentences } from '../sentences.js';
import { datesOfSentence } from './dates-in.js';
import { languageOf, LANGUAGES } from './languages/index.js';
import type { LanguageRules, StatementRule } from './language-rules.js';
import type { ResolvedDate } from './resolve-dates.js';

/**
 * Facts that the user stated, in the user's words, in the order said; nobody else's words are read. Questions,
 * conditions, denials, quotes and code state nothing. Of two statements on one subject in one message the later stays.
 */
export function readFacts(request: FactsRequest): ExtractedFact[] {
  const facts: ExtractedFact[] = [];
  for (const message of request.messages) {
    if (message.kind !== 'message' || message.role !== 'user') continue;
    const stated = new Map<string, ExtractedFact>();
    for (const sentence of splitSentences(ownWords(message.text))) {
      for (const fact of factsOf(sentence, message, request)) {
        const key = `${fact.fact_type}\n${fact.subject.toLowerCase()}`;
        stated.delete(key);
        stated.set(key, fact);
      }
    }
    facts.push(...stated.values());
  }
  return facts;
}

/** The text without code, quoted replies and quoted speech: those are somebody else's words. */
function ownWords(text: string): string {
  return text
    .replace(/```[^`]*(?:```|$)/gu, ' ')
    .replace(/`[^`\n]{0,200}`/gu, ' ')
    .replace(/^[ \t]*>.*$/gmu, ' ')
    .replace(/(?<=[\p{L}:,][ \t])(?:"[^"\n]{12,300}"|«[^»\n]{12,300}»|“[^”\n]{12,300}”)/gu, ' ');
}

function factsOf(sentence: string, message: SourceMessage, request: FactsRequest): ExtractedFact[] {
  if (/[?？]["'”»)]*$/u.test(sentence)) return [];
  if (LANGUAGES.some((rules) => rules.hypothetical.test(sentence) || rules.questions.test(sentence)))
    return [];
  const rules = languageOf(sentence, request.language);
  const dates = datesOfSentence(sentence, rules, message.at, request.timeZone);
  const facts: ExtractedFact[] = [];
  // The sentence's own language first: a pattern of a near language must not read the same words again.
  for (const language of [rules, ...LANGUAGES.filter((other) => other !== rules)]) {
    for (const statement of language.statements) {
      const fact = stateFact(sentence, statement, language, message, dates);
      if (fact !== null) facts.push(fact);
    }
    if (facts.length > 0) break;
  }
  if (facts.every((fact) => fact.fact_type === 'detail'))
    facts.push(...datedFacts(sentence, rules, message, dates));
  return facts;
}

function stateFact(
  sentence: string,
  statement: StatementRule,
  rules: LanguageRules,
  message: SourceMessage,
  dates: readonly ResolvedDate[],
): ExtractedFact | null {
  const match = statement.pattern.exec(sentence);
  if (match === null) return null;
  const given = match.groups?.['payload'];
  if (given !== undefined && rules.denials.test(given)) return null;
  const payload = given === undefined ? match[0].trim() : valueOf(given.trim(), statement);
  const subject = statement.subject ?? subjectOf(match.groups?.['subject'] ?? '', rules);
  if (payload === null || payload === '' || subject === '') return null;
  const until = statement.type === 'promise' || statement.type === 'deadline' ? dates[0]?.until : undefined;
  if (statement.type === 'deadline' && until === undefined) return null;
  return factOf(statement.type, subject, payload, message, until ?? null);
}

function datedFacts(
  sentence: string,
  rules: LanguageRules,
  message: SourceMessage,
  dates: readonly ResolvedDate[],
): ExtractedFact[] {
  const date = dates[0];
  if (date === undefined || sentence.length > 200) return [];
  const before = sentence.slice(0, date.index);
  const isDeadline = rules.deadlines.test(before);
  const after = sentence.slice(date.index + date.text.length);
  const ahead = subjectOf(isDeadline ? before.replace(rules.deadlines, '') : before, rules);
  const subject = ahead.length < 3 ? subjectOf(after, rules) : ahead;
  if (subject.length < 3 || (!isDeadline && !date.isCalendar)) return [];
  return [factOf(isDeadline ? 'deadline' : 'date', subject, sentence, message, date.until)];
}

/** Words that change how strong a statement is, not what it is about. */
const SOFTENERS =
  /(?:^|\s)(?:any ?more|anymore|at all|very much|a lot|too|now|the|a|an|to|больше|очень|совсем|теперь|тоже|уже|більше|дуже|зовсім|тепер|теж|вже|вообще|взагалі)(?=\s|$)/giu;

function subjectOf(text: string, rules: LanguageRules): string {
  return text
    .normalize('NFC')
    .replace(SOFTENERS, ' ')
    .replace(/^[^\p{L}\p{N}#№]+|[^\p{L}\p{N}]+$/gu, '')
    .replace(/\s+/gu, ' ')
    .slice(0, 80)
    .toLocaleLowerCase(rules.code)
    .trim();
}

const CONTACT = /^[^@\s]*@|^\+?\d[\d ()-]{5,}$/u;
/** Up to three capitalized words. */
const NAME = /^\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){0,2}/u;

/** The value itself, without the words around it; null when there is none of the kind asked for. */
function valueOf(given: string, statement: StatementRule): string | null {
  const first = identifiersOf(given)[0] ?? /[\p{L}]{0,4}[#№-]?\d[\p{L}\d-]*/u.exec(given)?.[0] ?? null;
  if (statement.value === 'number') return first !== null && given.indexOf(first) <= 24 ? first : null;
  if (statement.value === 'contact')
    return first !== null && given.indexOf(first) <= 2 && CONTACT.test(first) ? first : null;
  if (statement.value === 'address' && !/\d/u.test(given)) return null;
  if (statement.value === 'name') return NAME.exec(given)?.[0] ?? null;
  return given.replace(/[.,\s]+$/u, '');
}

function factOf(
  type: string,
  subject: string,
  payload: string,
  message: SourceMessage,
  until: number | null,
): ExtractedFact {
  return {
    fact_type: type,
    actor: 'client',
    subject,
    payload: payload.replace(/[.\s]+$/u, ''),
    valid_from: message.at,
    valid_until: until,
    source_id: message.id,
  };
}
