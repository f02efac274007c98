/**
 * The text without the sentences that hold digits: tone and background stay, figures are left to facts, which carry
 * their source and their validity. A line that ends without a mark is a sentence too.
 */
export function withoutNumbers(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      [...line.matchAll(/[^.!?…。！？]+[.!?…。！？]*\s*|[.!?…。！？]+\s*/gu)]
        .map(([sentence]) => sentence)
        .filter((sentence) => !/\p{Nd}/u.test(sentence))
        .join('')
        .trim(),
    )
    .filter((line) => line !== '')
    .join('\n');
}
