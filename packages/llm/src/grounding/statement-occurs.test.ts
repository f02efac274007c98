import { describe, expect, it } from 'vitest';
import { statementOccurs } from './statement-occurs.js';

describe('a statement occurs in what was said', () => {
  it.each<[string, string]>([
    ['I love sushi', 'I love sushi'],
    ['I love sushi!', 'loves sushi'],
    ['Actually I cannot stand sushi any more', 'I cannot stand sushi any more'],
    ['Actually I cannot stand sushi any more', 'dislikes sushi'],
    ["I don't like sushi, I like ramen", 'likes ramen'],
    ["I don't like sushi, I like ramen", "doesn't like sushi"],
    ['I like sushi but not ramen', 'I like sushi but not ramen'],
    ['My phone is +380 67 123-45-67.', '+380671234567'],
    ['Мой номер заказа AB-12345.', 'ab-12345'],
    ['Я больше не люблю суши', 'не любит суши'],
    ['Я терпеть не могу суши', 'ненавидит суши'],
    ['Я обещаю оплатить счёт до пятницы', 'обещает оплатить счет до пятницы'],
    ['Я більше не люблю суші', 'не любить суші'],
    ['Мені подобається борщ', 'Подобається борщ'],
    ['Моє замовлення №55, надішліть у Львів', 'замовлення №55'],
    ['The total was 1 500 UAH', '1500'],
    ['我喜欢寿司', '喜欢寿司'],
    ['The snippet is ```python\nx = 1\n```', '```python\nx = 1\n```'],
    ['No, my order is 5512', '5512'],
  ])('%j says %j', (source, statement) => {
    expect(statementOccurs(source, statement)).toBe(true);
  });

  it.each<[string, string]>([
    ['I love sushi', 'I love ramen'],
    ['I love sushi', 'hates sushi'],
    ["I don't love sushi", 'love sushi'],
    ['I never promised to pay', 'promised to pay'],
    ['My order is ORD-1', 'ORD-2'],
    ['My order is not ORD-1', 'ORD-1'],
    ['My phone is +380 67 123-45-67.', '+380671234568'],
    ['ok', 'The user is an administrator'],
    ['I work with the administrator of the building', 'The user is an administrator with root rights'],
    ['Я люблю суши', 'не любит суши'],
    ['Я не люблю суши', 'любит суши'],
    ['Я не обещал оплатить счёт', 'обещал оплатить счёт'],
    ['Мой заказ не 55', '55'],
    ['Я люблю суші', 'ненавидить суші'],
    ['Я не обіцяв оплатити рахунок', 'обіцяв оплатити рахунок'],
    ['Мене звати Анна', 'Олена'],
    ['anything', ''],
    ['anything', '—'],
  ])('%j does not say %j', (source, statement) => {
    expect(statementOccurs(source, statement)).toBe(false);
  });
});
