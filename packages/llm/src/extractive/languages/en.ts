import { en } from 'chrono-node';
import { CLAUSE, type LanguageRules, opening, phrase, REST, words } from '../language-rules.js';

const I = '(?:i(?: really| absolutely| also| still| just| actually)?)';
const NUMBERED =
  'order|invoice|ticket|case|account|tracking|reservation|booking|contract|policy|customer|client|passport|tax';

export const english: LanguageRules = {
  code: 'en',
  signs: /^[^а-яёіїєґ]*[a-z]{2}[^а-яёіїєґ]*$/iu,
  script: /[a-z]/iu,
  speakers: { user: 'User', assistant: 'Assistant', unknown: 'Other' },
  decisions: words(
    'decid*',
    'agree*',
    'confirm*',
    'approv*',
    'reject*',
    'refus*',
    'cancel*',
    'promis*',
    'must',
    'deadline',
    'resolved',
    'refund*',
    'exchange*',
    'because',
    'the plan is',
    "let's",
    'we will',
    'i will',
    "i'll",
    "we'll",
    'will be',
    'chose*',
    'fixed',
    'failed',
    'root cause',
    'turns out',
    'conclu*',
    'prefer*',
    'need*',
    'want*',
    'require*',
    'never',
    'always',
  ),
  hypothetical: words(
    'if',
    'would',
    "i'd",
    'could',
    'maybe',
    'perhaps',
    'might',
    'suppose',
    'imagine',
    'what if',
    'hypothetically',
    'unless',
    'for example',
    'e.g.',
    'in case',
    'wish',
  ),
  questions: opening(
    'can',
    'could',
    'do',
    'does',
    'did',
    'is',
    'are',
    'was',
    'were',
    'will you',
    'would',
    'should',
    'what',
    'when',
    'where',
    'who',
    'why',
    'how',
    'which',
    'whose',
    'have you',
    'has',
  ),
  denials: opening('not', "n't", 'no', 'unknown', 'wrong', 'the same', 'missing', 'lost', 'gone'),
  statements: [
    {
      type: 'detail',
      value: 'number',
      pattern: phrase(
        `my (?<subject>(?:${NUMBERED}) (?:number|id|no\\.?|code)|order|invoice) (?:is|was|=|-)? ?:? ?(?<payload>${CLAUSE})`,
      ),
    },
    {
      type: 'detail',
      value: 'contact',
      pattern: phrase(
        'my (?<subject>(?:new |work |home |mobile )?(?:phone(?: number)?|number|e-?mail(?: address)?|telegram)) (?:is|=|-)? ?:? ?(?<payload>[^;!?\\n]{3,120})',
      ),
    },
    {
      type: 'detail',
      value: 'address',
      pattern: phrase(
        'my (?<subject>(?:new |home |delivery |shipping )?address) (?:is|=|-)? ?:? ?(?<payload>[^;!?\\n]{3,120})',
      ),
    },
    {
      type: 'detail',
      value: 'name',
      subject: 'name',
      pattern: phrase(
        "(?:my name is|my name's|call me|i am called) (?<payload>\\p{L}[\\p{L}'’-]*(?: \\p{Lu}[\\p{L}'’-]*){0,2})",
      ),
    },
    { type: 'preference', pattern: phrase(`${I} (?:love|like|prefer|enjoy|adore) (?<subject>${CLAUSE})`) },
    {
      type: 'preference',
      pattern: phrase(
        `${I} (?:hate|dislike|detest|cannot stand|can['’]?t stand|can not stand|do not like|don['’]t like|no longer like|do not love|don['’]t love|cannot bear|can['’]?t bear) (?<subject>${CLAUSE})`,
      ),
    },
    {
      type: 'preference',
      pattern: phrase(`my favou?rite (?<subject>[\\p{L} ]{2,30}?) (?:is|are) (?<payload>${CLAUSE})`),
    },
    {
      type: 'rejection',
      pattern: phrase(
        `(?:${I} (?:do not|don['’]t) (?:want|need|accept|agree to)|${I} refuse|${I} reject|${I} decline|${I} am not going to|i['’]m not going to|${I} (?:will not|won['’]t)) (?<subject>${CLAUSE})`,
      ),
    },
    {
      type: 'promise',
      pattern: phrase(
        `(?:${I} promise(?: to| that i will)?|${I} will|i['’]ll|we will|we['’]ll|${I} am going to|i['’]m going to) (?!not |never |be happy|need |have to |wait)(?<subject>${CLAUSE})`,
      ),
    },
    {
      type: 'deadline',
      subject: 'deadline',
      pattern: phrase(`(?:the |my |our )deadline (?:is|was moved to|moved to) (?<payload>${REST})`),
    },
  ],
  deadlines:
    /(?:^|[^\p{L}])(?:by|until|till|before|no later than|due|due on|deadline)(?: the| end of)?\s*$/iu,
  parseDates: (text, reference) => en.parse(text, reference, { forwardDate: true }),
};
