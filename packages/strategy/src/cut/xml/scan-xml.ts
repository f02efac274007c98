/** What a node of the tree is. `other` is a declaration or a processing instruction. */
type XmlKind = 'element' | 'text' | 'cdata' | 'comment' | 'other';

/** A node with its children; `open` is the start tag (of others the whole) as written. */
export interface XmlNode {
  readonly kind: XmlKind;
  readonly name: string;
  readonly open: string;
  /** The end tag; empty for a node without one. */
  close: string;
  readonly children: XmlNode[];
}

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.:-]*`;
const START = new RegExp(String.raw`<(${NAME})((?:\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>`, 'uy');
const END = new RegExp(String.raw`</(${NAME})\s*>`, 'uy');
/** A reference to an entity; a bare `&` is not XML. */
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[\p{L}_][\p{L}\p{N}_.-]{0,40});/iuy;
/** As deep as documents go in earnest; what is deeper is not taken for XML. */
const DEEPEST = 1_000;

/**
 * Reads a well-formed document into its top-level nodes, or returns null: for text behind the end, tags that do not
 * match, bare `<` and `&`. Not a validator: entities are not resolved and a DOCTYPE's inside is not read. One pass.
 */
export function scanXml(text: string): XmlNode[] | null {
  const top: XmlNode[] = [];
  const open: XmlNode[] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const add = (kind: XmlKind, end: number, name = ''): XmlNode => {
    const node: XmlNode = { kind, name, open: text.slice(at, end), close: '', children: [] };
    (open.at(-1)?.children ?? top).push(node);
    at = end;
    return node;
  };
  while (at < text.length) {
    if (text.charAt(at) !== '<') {
      const next = text.indexOf('<', at);
      const end = next < 0 ? text.length : next;
      if (!isText(text, at, end, open.length > 0)) return null;
      if (open.length > 0) add('text', end);
      else at = end;
      continue;
    }
    const special = specialEnd(text, at, open.length > 0);
    if (special !== null) {
      if (special.end < 0) return null;
      add(special.kind, special.end);
      continue;
    }
    if (text.charAt(at + 1) === '/') {
      END.lastIndex = at;
      const found = END.exec(text);
      const element = open.pop();
      if (found === null || element === undefined || element.name !== found[1]) return null;
      element.close = found[0];
      at = END.lastIndex;
      continue;
    }
    START.lastIndex = at;
    const found = START.exec(text);
    if (found === null || open.length >= DEEPEST) return null;
    if (open.length === 0 && top.some((node) => node.kind === 'element')) return null;
    const node = add('element', START.lastIndex, found[1]);
    if (found[3] === '') open.push(node);
  }
  return open.length === 0 && top.some((node) => node.kind === 'element') ? top : null;
}

function specialEnd(text: string, at: number, inside: boolean): { kind: XmlKind; end: number } | null {
  const behind = (mark: string, from: number) => {
    const end = text.indexOf(mark, from);
    return end < 0 ? -1 : end + mark.length;
  };
  if (text.startsWith('<!--', at)) return { kind: 'comment', end: behind('-->', at + 4) };
  if (text.startsWith('<![CDATA[', at)) return { kind: 'cdata', end: inside ? behind(']]>', at + 9) : -1 };
  if (text.startsWith('<?', at)) return { kind: 'other', end: behind('?>', at + 2) };
  if (!text.startsWith('<!DOCTYPE', at)) return null;
  const close = text.indexOf('>', at);
  const subset = text.indexOf('[', at);
  if (inside || close < 0) return { kind: 'other', end: -1 };
  if (subset < 0 || subset > close) return { kind: 'other', end: close + 1 };
  const end = text.indexOf(']', subset);
  return { kind: 'other', end: end < 0 ? -1 : behind('>', end) };
}

function isText(text: string, from: number, to: number, inside: boolean): boolean {
  if (!inside) return text.slice(from, to).trim() === '';
  for (let at = text.indexOf('&', from); at >= 0 && at < to; at = text.indexOf('&', at + 1)) {
    REFERENCE.lastIndex = at;
    if (!REFERENCE.test(text)) return false;
  }
  return true;
}
