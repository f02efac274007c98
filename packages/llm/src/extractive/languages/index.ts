import type { LanguageRules } from '../language-rules.js';
import { english } from './en.js';
import { russian } from './ru.js';
import { ukrainian } from './uk.js';

/** Every language the extractive model reads. A new one is a file beside this and a line here. */
export const LANGUAGES: readonly LanguageRules[] = [ukrainian, russian, english];

/** The rules for a text: by its own letters and words, then by the language declared, then by script, else English. */
export function languageOf(text: string, declared: string | null): LanguageRules {
  const code = declared?.toLowerCase().split(/[-_]/u)[0];
  const bySign = LANGUAGES.filter((language) => language.signs.test(text));
  if (bySign.length === 1) return bySign[0] as LanguageRules;
  const byScript = LANGUAGES.filter((language) => language.script.test(text));
  return (
    byScript.find((language) => language.code === code) ?? bySign[0] ?? byScript[1] ?? byScript[0] ?? english
  );
}
