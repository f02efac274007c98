import type { ExtractedFact } from '@palimpsest/events';
import { datesIn, type FactsRequest, type SourceMessage, statementOccurs } from '@palimpsest/llm';

export interface CheckedFacts {
  facts: ExtractedFact[];
  /** What the messages do not bear out, with the reason for a person to see. */
  refused: { fact: ExtractedFact; why: RefusalReason }[];
}

type RefusalReason = 'not_said_by_user' | 'not_in_source' | 'asked_not_stated';

/**
 * Holds what a model extracted against the messages it names. A fact stays when a user wrote the message and the
 * message says so, in these words or their normal form. An end of validity stays when the message names that day; where
 * it names one other, that one is taken; where it names none, a model's is not believed.
 */
export function checkFacts(facts: readonly ExtractedFact[], request: FactsRequest): CheckedFacts {
  const sources = new Map(request.messages.map((message) => [message.id, message]));
  const checked: CheckedFacts = { facts: [], refused: [] };
  for (const fact of facts) {
    const source = sources.get(fact.source_id);
    const why = source === undefined ? 'not_said_by_user' : whatSpeaksAgainst(fact, source);
    if (source === undefined || why !== null) {
      checked.refused.push({ fact, why: why ?? 'not_said_by_user' });
      continue;
    }
    checked.facts.push({
      ...fact,
      valid_from: fact.valid_from ?? source.at,
      valid_until: endOf(fact, source, request.timeZone),
    });
  }
  return checked;
}

function whatSpeaksAgainst(fact: ExtractedFact, source: SourceMessage): RefusalReason | null {
  if (source.kind !== 'message' || source.role !== 'user') return 'not_said_by_user';
  if (!statementOccurs(source.text, fact.payload)) return 'not_in_source';
  return isQuestion(fact, source.text) ? 'asked_not_stated' : null;
}

/** What may be asked about without being so. An order number in a question is one all the same. */
const STATED_ONLY = new Set(['promise', 'rejection', 'preference']);

function isQuestion(fact: ExtractedFact, text: string): boolean {
  if (!STATED_ONLY.has(fact.fact_type)) return false;
  const sentences = text.match(/[^.!?。！？\n]+[.!?。！？]*/gu) ?? [];
  const saying = sentences.filter((sentence) => statementOccurs(sentence, fact.payload));
  return saying.length > 0 && saying.every((sentence) => /[?？]["'”»)]*\s*$/u.test(sentence));
}

const DAY = 86_400_000;
/** Feasts and seasons that no rule here resolves: a model may know when they are. */
const NAMED_TIMES =
  /праздник|майск|рожд|новый год|новому году|нового года|пасх|выходн|квартал|свят|різдв|новий рік|нового року|велик(?:день|одн)|вихідн|christmas|easter|new year|holiday|weekend|quarter|summer|winter|autumn|spring|лет[оау]|зим|осен|весн|літ[оа]|осін|весна/iu;

function endOf(fact: ExtractedFact, source: SourceMessage, timeZone: string | null): number | null {
  if (fact.valid_until === null || fact.valid_until < source.at) return null;
  const named = datesIn(source.text, source.at, timeZone);
  const until = fact.valid_until;
  if (named.some((date) => Math.abs(date - until) < DAY)) {
    return named.reduce((near, date) => (Math.abs(date - until) < Math.abs(near - until) ? date : near));
  }
  if (named.length === 1) return named[0] as number;
  return named.length === 0 && NAMED_TIMES.test(source.text) ? until : null;
}
