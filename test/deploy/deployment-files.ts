import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from '../harness/command-line.js';

// oxlint-disable-next-line typescript/no-explicit-any -- files of other programs; a test says what it expects in them
export type Loose = any;

export function textOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** One YAML document, with `<<` merged. */
export function yamlOf(file: string): Loose {
  return parse(textOf(file), { merge: true });
}

/** All documents of a YAML file. */
export function objectsOf(file: string): Loose[] {
  return parseAllDocuments(textOf(file)).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message}`);
    return document.toJS();
  });
}

/** `NAME=value` lines. */
export function envFile(file: string): Record<string, string> {
  const lines = textOf(file)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** The instructions of deploy/Dockerfile, continued lines joined: name and rest. */
export function dockerfile(): { name: string; rest: string }[] {
  return textOf('deploy/Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ')[0] as string, rest: line.slice(line.indexOf(' ') + 1) }));
}

/** What the image itself sets. */
export function imageEnvironment(): Record<string, string> {
  const pairs = dockerfile()
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ rest }) => rest.trim().split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
