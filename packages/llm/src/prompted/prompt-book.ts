import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DerivationPurpose, PromptAbout } from '../language-model.js';

/** The instructions for every purpose, agent type and language, read once from files. */
export interface PromptBook {
  /** The instructions for a conversation: of its type and language where there is a file, else more general ones. */
  instructions(purpose: DerivationPurpose, about: PromptAbout): string;
  /** Every text `instructions` can give for a purpose. */
  all(purpose: DerivationPurpose): string[];
}

/** `packages/llm/prompts`, from src and from dist. */
const SHIPPED = fileURLToPath(new URL('../../prompts', import.meta.url));
const DOMAIN = '{{domain}}';
const GENERAL = 'general';

/**
 * Reads the shipped prompts and, over them, those of `folder`. Throws an error that names the folder or file when one
 * cannot be read or `summary.md` has no place for the domain.
 */
export function readPromptBook(folder: string | null = null): PromptBook {
  const files = readFolder(SHIPPED);
  if (folder !== null) {
    for (const [name, text] of readFolder(folder)) files.set(name, text);
  }
  for (const [name, text] of files) {
    if (/^summary(\.[^./]+)?$/u.test(name) && !text.includes(DOMAIN))
      throw new Error(`The prompt ${name}.md has no ${DOMAIN}: put it where the agent type's part belongs.`);
  }
  const best = (names: readonly string[], language: string | null): string =>
    names
      .flatMap((name) => (language === null ? [name] : [`${name}.${language}`, name]))
      .map((name) => files.get(name))
      .find((text) => text !== undefined) ?? '';
  const instructions = (purpose: DerivationPurpose, about: PromptAbout): string => {
    const language = codeOf(about.language);
    if (purpose === 'facts') return best(['facts'], language);
    const type = slug(about.agentType);
    const names = type === null ? [GENERAL] : [type, GENERAL];
    const domain = best(
      names.map((name) => `summary/${name}`),
      language,
    );
    return best(['summary'], language).replace(DOMAIN, () => domain);
  };
  const known = [...files.keys()].map((name) => /^(?:summary\/)?([^./]+)(?:\.([^./]+))?$/u.exec(name));
  const types = [null, ...known.map((match) => match?.[1] ?? null)];
  const languages = [...new Set([null, ...known.map((match) => match?.[2] ?? null)])];
  return {
    instructions,
    all: (purpose) => [
      ...new Set(
        types.flatMap((agentType) =>
          languages.map((language) => instructions(purpose, { agentType, language })),
        ),
      ),
    ],
  };
}

function readFolder(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (cause) {
    throw new Error(`The prompts folder ${folder} cannot be read: give a folder like packages/llm/prompts.`, {
      cause,
    });
  }
  for (const name of names) {
    const path = name.replaceAll('\\', '/');
    if (!path.endsWith('.md') || path === 'README.md') continue;
    files.set(path.slice(0, -3), readFileSync(join(folder, name), 'utf8').trim());
  }
  return files;
}

function slug(type: string | null | undefined): string | null {
  const name = (type ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
  return name === '' ? null : name;
}

function codeOf(language: string | null | undefined): string | null {
  return language?.toLowerCase().split(/[-_]/u)[0] ?? null;
}
