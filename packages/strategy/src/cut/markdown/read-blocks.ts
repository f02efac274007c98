import { Fences } from '../fences.js';

/** A part of a Markdown text that stands or falls whole. */
export interface Block {
  readonly kind: 'heading' | 'prose' | 'code';
  /** The lines of it; of code with its fences. */
  readonly lines: readonly string[];
}

const HEADING = /^#{1,6} \S/;

/**
 * Headings, lines of prose and fenced code, in order. Code that is not closed runs to the end and gets a fence, so that
 * what follows it in a context is not read as code.
 */
export function readBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  const fences = new Fences();
  let code: string[] = [];
  for (const line of text.split('\n')) {
    const wasOpen = fences.open !== null;
    const isFence = fences.read(line);
    if (wasOpen || isFence) code.push(line);
    if (isFence && wasOpen) {
      blocks.push({ kind: 'code', lines: code });
      code = [];
    } else if (!wasOpen && !isFence && line.trim() !== '') {
      blocks.push({ kind: HEADING.test(line.slice(0, 20)) ? 'heading' : 'prose', lines: [line] });
    }
  }
  if (code.length > 0) blocks.push({ kind: 'code', lines: [...code, fences.open ?? '```'] });
  return blocks;
}
