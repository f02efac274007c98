import { Tokenizer } from 'htmlparser2';
import { type Attributes, isForeign } from './element-roles.js';

export interface TagHandler {
  open(tag: string, attributes: Attributes): void;
  close(tag: string): void;
  text(text: string): void;
}

/** Attributes that say what an element is; all others are passed over, so none can leak or pile up. */
const READ = new Set(['role', 'hidden', 'aria-hidden', 'style', 'name', 'property', 'content']);
const LONGEST_VALUE = 1_000;

/**
 * Reads HTML with htmlparser2's tokenizer: entities decoded, comments and declarations dropped, script and
 * style told apart from markup, `>` inside attributes understood. The tokenizer is used without htmlparser2's
 * Parser because that searches its whole stack of open elements for an end tag: quadratic on deep nesting.
 */
export function readTags(html: string, handler: TagHandler): void {
  let tag = '';
  let attributes: Record<string, string> = {};
  let attribute = '';
  let value = '';
  let foreign = 0;
  const opened = (selfClosing: boolean) => {
    if (isForeign(tag) && !selfClosing) foreign += 1;
    handler.open(tag, attributes);
    if (selfClosing && foreign > 0) handler.close(tag);
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname(start, end) {
        tag = html.slice(start, Math.min(end, start + 64)).toLowerCase();
        attributes = {};
      },
      onattribname(start, end) {
        attribute = end - start > 32 ? '' : html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata(start, end) {
        if (READ.has(attribute) && value.length < LONGEST_VALUE) {
          value += html.slice(start, Math.min(end, start + LONGEST_VALUE));
        }
      },
      onattribentity(code) {
        if (READ.has(attribute) && value.length < LONGEST_VALUE) value += String.fromCodePoint(code);
      },
      onattribend() {
        if (READ.has(attribute)) attributes[attribute] ??= value.trim();
      },
      onopentagend: () => opened(false),
      onselfclosingtag: () => opened(true),
      onclosetag(start, end) {
        const name = html.slice(start, Math.min(end, start + 64)).toLowerCase();
        if (isForeign(name) && foreign > 0) foreign -= 1;
        handler.close(name);
      },
      ontext: (start, end) => handler.text(html.slice(start, end)),
      ontextentity: (code) => handler.text(String.fromCodePoint(code)),
      oncdata: (start, end) => handler.text(html.slice(start, end)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
      isInForeignContext: () => foreign > 0,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
