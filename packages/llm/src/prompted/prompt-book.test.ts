import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPromptBook } from './prompt-book.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prompts-'));
  mkdirSync(join(folder, 'summary'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('the prompt book', () => {
  it.each(['general', 'shop', 'support', 'debate', 'document-analysis', 'coding'])(
    'ships what a summary keeps for %s',
    (agentType) => {
      const text = readPromptBook().instructions('summary', { agentType });
      expect(text).toMatch(/^Keep: .+^Drop: /msu);
      expect(text).not.toContain('{{');
    },
  );

  it('takes the general one for a type without a file, and a type however it is spelled', () => {
    const book = readPromptBook();
    const general = book.instructions('summary', {});
    expect(book.instructions('summary', { agentType: 'astrology' })).toBe(general);
    expect(book.instructions('summary', { agentType: 'Document Analysis' })).not.toBe(general);
    expect(book.instructions('summary', { agentType: '../facts' })).toBe(general);
  });

  it('takes files of a folder in place of those shipped, one by one', () => {
    write('summary/shop.md', 'Keep: shoes.');
    const book = readPromptBook(folder);
    expect(book.instructions('summary', { agentType: 'shop' })).toContain('Keep: shoes.');
    expect(book.instructions('summary', {})).toBe(readPromptBook().instructions('summary', {}));
    expect(book.instructions('facts', {})).toBe(readPromptBook().instructions('facts', {}));
  });

  it('takes the file of the language where there is one, of the type before the language', () => {
    write('summary/general.uk.md', 'Залиш: усе.');
    write('facts.uk.md', 'Факти. {"facts":[]}');
    const book = readPromptBook(folder);
    expect(book.instructions('summary', { language: 'uk-UA' })).toContain('Залиш: усе.');
    expect(book.instructions('summary', { language: 'uk', agentType: 'shop' })).not.toContain('Залиш');
    expect(book.instructions('facts', { language: 'uk' })).toContain('Факти');
    expect(book.instructions('facts', { language: 'ru' })).not.toContain('Факти');
    for (const about of [{ language: 'uk' }, { language: 'uk', agentType: 'shop' }, {}])
      expect(book.all('summary')).toContain(book.instructions('summary', about));
  });

  it('says which file is wrong', () => {
    write('summary.md', 'Condense it.');
    expect(() => readPromptBook(folder)).toThrow('summary.md has no {{domain}}');
    expect(() => readPromptBook(join(folder, 'nowhere'))).toThrow('cannot be read');
  });
});
