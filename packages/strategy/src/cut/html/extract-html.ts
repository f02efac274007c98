import {
  type Attributes,
  closedBy,
  isForeign,
  isInline,
  isMain,
  isSkipped,
  isVoid,
} from './element-roles.js';
import { readTags, type TagHandler } from './read-tags.js';

export interface Block {
  readonly text: string;
  readonly kind: 'heading' | 'prose' | 'row' | 'code';
  readonly main: boolean;
  /** For a row: its place in its table, from 0. */
  readonly row: number;
}

export interface Page {
  readonly title: string;
  readonly description: string;
  /** The main text if the page marks one, otherwise all that is not navigation and the like. */
  readonly blocks: readonly Block[];
}

/** As deep as browsers nest; deeper elements are read as text of the deepest. */
const DEEPEST = 512;
/** An article that holds less of the page's text than this is not its main text. */
const LEAST_MAIN_SHARE = 0.1;

/** The text of a page, without markup, in reading order. Linear time, whatever the nesting. */
export function extractHtml(html: string): Page {
  const reader = new PageReader();
  readTags(html, reader);
  return reader.finish();
}

interface Element {
  readonly tag: string;
  readonly skipped: boolean;
  readonly main: boolean;
  readonly foreign: boolean;
}

class PageReader implements TagHandler {
  private readonly stack: Element[] = [];
  private readonly blocks: Block[] = [];
  private title = '';
  private description = '';
  private readonly openTags = new Map<string, number>();
  private skipping = 0;
  private mains = 0;
  private preformatted = 0;
  private parts: string[] = [];
  private cells: string[] | null = null;
  private rows: number[] = [];
  private bullet = '';

  open(tag: string, attributes: Attributes): void {
    if (tag === 'meta') this.readMeta(attributes);
    this.closeImplied(tag);
    if (isVoid(tag)) {
      if (tag === 'br') this.text('\n');
      else if (!isInline(tag)) this.endBlock();
      return;
    }
    const main = isMain(tag, attributes);
    if (main) this.leaveUnclosedParts();
    if (this.stack.length >= DEEPEST) return;
    const top = this.stack.at(-1);
    const skipped = isSkipped(tag, attributes, this.mains > 0);
    if (!isInline(tag) && tag !== 'title') this.startBlock(tag);
    this.stack.push({ tag, skipped, main, foreign: isForeign(tag) || top?.foreign === true });
    this.openTags.set(tag, (this.openTags.get(tag) ?? 0) + 1);
    if (skipped) this.skipping += 1;
    if (main) this.mains += 1;
    if (tag === 'pre') this.preformatted += 1;
  }

  close(tag: string): void {
    if ((tag === 'p' || tag === 'br') && this.cells === null) this.endBlock();
    if ((this.openTags.get(tag) ?? 0) === 0) return;
    const at = this.stack.findLastIndex((element) => element.tag === tag);
    // An end tag does not reach out of a template, a foreign element or a cell it was not opened in.
    if (at < 0 || (this.skipping > 0 && this.isSheltered(at))) return;
    while (this.stack.length > at) this.pop();
  }

  text(text: string): void {
    const top = this.stack.at(-1);
    if (top?.tag === 'title' && !top.foreign) {
      if (this.title.length < 500) this.title += text.slice(0, 500);
      return;
    }
    if (this.skipping === 0) this.parts.push(text);
  }

  finish(): Page {
    while (this.stack.length > 0) this.pop();
    this.endBlock();
    const main = this.blocks.filter((block) => block.main);
    const isEnough = main.length > 0 && size(main) >= LEAST_MAIN_SHARE * size(this.blocks);
    return {
      title: flow(this.title).trim(),
      description: flow(this.description).trim(),
      blocks: isEnough ? main : this.blocks,
    };
  }

  private readMeta(attributes: Attributes): void {
    const name = (attributes['name'] ?? attributes['property'] ?? '').toLowerCase();
    const content = attributes['content'] ?? '';
    if (name === 'description' || (name === 'og:description' && this.description === ''))
      this.description = content;
    if (name === 'og:title' && this.title === '') this.title = content;
  }

  private startBlock(tag: string): void {
    if (tag === 'td' || tag === 'th') {
      this.endCell();
      return;
    }
    if (this.cells !== null && tag !== 'table' && tag !== 'tr') {
      this.parts.push(' ');
      return;
    }
    this.endBlock();
    if (tag === 'tr') this.cells = [];
    else if (tag === 'table') this.rows.push(0);
    else if (tag === 'li') this.bullet = '- ';
    else if (/^h[1-6]$/.test(tag)) this.bullet = `${'#'.repeat(Number(tag.charAt(1)))} `;
  }

  private pop(): void {
    const element = this.stack.pop();
    if (element === undefined) return;
    const { tag } = element;
    this.openTags.set(tag, (this.openTags.get(tag) ?? 1) - 1);
    if (tag === 'td' || tag === 'th') this.endCell();
    else if (tag === 'tr') this.endRow();
    else if (!isInline(tag) && tag !== 'title') {
      if (this.cells !== null && tag !== 'table') this.parts.push(' ');
      else this.endBlock();
    }
    if (tag === 'table') {
      this.endRow();
      this.rows.pop();
    }
    if (tag === 'pre') this.preformatted -= 1;
    if (element.skipped) this.skipping -= 1;
    if (element.main) this.mains -= 1;
  }

  private endCell(): void {
    const text = flow(this.parts.join('')).replaceAll('\n', ' ').trim();
    this.parts = [];
    if (this.cells === null) this.cells = [];
    if (text !== '') this.cells.push(text);
  }

  private endRow(): void {
    if (this.cells === null) return;
    this.endCell();
    const cells = this.cells;
    this.cells = null;
    if (cells.length > 0) this.add(cells.join(' | '), 'row');
  }

  private endBlock(): void {
    if (this.cells !== null) {
      this.endRow();
      return;
    }
    const isCode = this.preformatted > 0;
    const raw = this.parts.join('');
    this.parts = [];
    const bullet = this.bullet;
    const text = isCode ? raw.replaceAll('\u00A0', ' ').replaceAll(/^\n+/g, '').trimEnd() : flow(raw).trim();
    if (text === '') return;
    this.bullet = '';
    this.add(isCode ? text : bullet + text, isCode ? 'code' : bullet.startsWith('#') ? 'heading' : 'prose');
  }

  private add(text: string, kind: Block['kind']): void {
    const row = this.rows.at(-1) ?? 0;
    this.blocks.push({ text, kind, main: this.mains > 0, row: kind === 'row' ? row : 0 });
    if (kind === 'row' && this.rows.length > 0) this.rows[this.rows.length - 1] = row + 1;
  }

  private closeImplied(tag: string): void {
    const implied = closedBy(tag);
    for (
      let top = this.stack.at(-1);
      top !== undefined && implied.includes(top.tag);
      top = this.stack.at(-1)
    ) {
      this.pop();
    }
    if (this.stack.at(-1)?.tag === 'p' && !isInline(tag) && !isVoid(tag)) this.pop();
  }

  /** A main text never lies inside navigation: where it seems to, an end tag was forgotten. */
  private leaveUnclosedParts(): void {
    if (this.skipping === 0) return;
    const at = this.stack.findIndex((element) => element.skipped);
    const tag = this.stack[at]?.tag ?? '';
    if (
      this.stack.some(
        (element) => element.tag === 'template' || element.tag === 'noscript' || element.foreign,
      )
    )
      return;
    if (/^(?:nav|header|footer|aside|menu|div|ul|section|button|select|head)$/.test(tag)) {
      while (this.stack.length > at) this.pop();
    }
  }

  private isSheltered(at: number): boolean {
    return this.stack.some(
      (element, index) => index > at && (element.tag === 'template' || element.tag === 'svg'),
    );
  }
}

function size(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}

/** White space as a browser flows it: runs become one space, line breaks of `<br>` stay. */
function flow(text: string): string {
  return text.replaceAll(/[\t\r\f \u00A0]+/g, ' ').replaceAll(/ ?\n[ \n]*/g, '\n');
}
