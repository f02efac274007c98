import { splitSentences } from '../sentences.js';

/**
 * Whether a text gives orders to whoever reads it as a prompt: text that a tool or a user smuggled in and a model
 * passed on. Only sentences that begin as an order count: `the page told the agent to ignore its rules` is a report.
 */
export function ordersTheAgent(text: string): boolean {
  if (/<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|<<SYS>>/u.test(text)) return true;
  return splitSentences(text).some((sentence) => {
    const bare = sentence.replace(/^[^\p{L}]+/u, '');
    return ORDERS.some((order) => order.test(bare));
  });
}

const END = '(?![\\p{L}])';
const order = (source: string): RegExp => new RegExp(`^${source}${END}`, 'iu');
const RULES_EN = '(?:instructions?|rules?|prompts?|guidelines|context)';
const RULES_RU = '(?:инструкци\\p{L}*|правил\\p{L}*|указани\\p{L}*|промпт\\p{L}*)';
const RULES_UK = '(?:інструкці\\p{L}*|правил\\p{L}*|вказівк\\p{L}*|промпт\\p{L}*)';

const ORDERS = [
  order(`(?:please |now )?(?:ignore|disregard|forget|override)(?: \\p{L}+){0,4} ${RULES_EN}`),
  order('(?:from now on,? )?you are (?:now|no longer)'),
  order('from now on,? (?:you|always|never|answer|reply)'),
  order(
    '(?:remember|note|record|store) that the user (?:is|has) (?:an? |the )?(?:admin|administrator|root|owner|developer)\\p{L}*',
  ),
  order(`(?:пожалуйста,? )?(?:игнорируй|проигнорируй|забудь|отбрось)(?:те)?(?: \\p{L}+){0,4} ${RULES_RU}`),
  order('(?:теперь ты|отныне ты|с этого момента ты)'),
  order('запомни(?:те)?,? что пользователь'),
  order(`(?:будь ласка,? )?(?:ігноруй|проігноруй|забудь|відкинь)(?:те)?(?: \\p{L}+){0,4} ${RULES_UK}`),
  order('(?:тепер ти|відтепер ти)'),
  order("запам['’]ятай(?:те)?,? що користувач"),
  /^(?:SYSTEM|DEVELOPER|СИСТЕМА)\s*:/u,
];
