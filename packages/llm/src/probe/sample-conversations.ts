import type { SourceMessage } from '../language-model.js';

/** What a model is tried on: a short support conversation, in a language, with facts that only the user states. */
export interface SampleConversation {
  language: 'en' | 'ru' | 'uk';
  messages: readonly SourceMessage[];
}

/** A Wednesday, so that a weekday said in the samples lies ahead. */
const AT = Date.parse('2024-05-01T09:00:00Z');

function talk(...texts: readonly string[]): SourceMessage[] {
  return texts.map((text, index) => ({
    id: `m${index + 1}`,
    kind: 'message' as const,
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
    tool: null,
    at: AT + index * 60_000,
  }));
}

/** Written for this project. */
export const SAMPLE_CONVERSATIONS: readonly SampleConversation[] = [
  {
    language: 'en',
    messages: talk(
      'Hello, my order number is ORD-5512. The blue jacket came in size M, I asked for L.',
      'I am sorry. I see order ORD-5512, paid 89.90 EUR. I can send the right size or refund you.',
      'Please send size L. I will return the wrong one by Friday.',
      'Done: the exchange is EX-77, the parcel leaves tomorrow.',
      'Thank you. I prefer e-mail, do not call me.',
      'Noted, we write to you only.',
    ),
  },
  {
    language: 'ru',
    messages: talk(
      'Здравствуйте, мой номер заказа ORD-5512. Пришла синяя куртка размера M, а я просил L.',
      'Извините. Вижу заказ ORD-5512, оплачено 8 990 ₽. Могу прислать нужный размер или вернуть деньги.',
      'Пришлите размер L. Я верну неподходящую до пятницы.',
      'Готово: обмен EX-77, посылка уйдёт завтра.',
      'Спасибо. Я предпочитаю почту, не звоните мне.',
      'Хорошо, будем только писать.',
    ),
  },
  {
    language: 'uk',
    messages: talk(
      'Доброго дня, мій номер замовлення ORD-5512. Прийшла синя куртка розміру M, а я просив L.',
      'Перепрошую. Бачу замовлення ORD-5512, сплачено 3 590 грн. Можу надіслати потрібний розмір або повернути гроші.',
      'Надішліть розмір L. Я поверну ту, що не підійшла, до п’ятниці.',
      'Готово: обмін EX-77, посилка вирушить завтра.',
      'Дякую. Я надаю перевагу пошті, не телефонуйте мені.',
      'Добре, будемо тільки писати.',
    ),
  },
];
