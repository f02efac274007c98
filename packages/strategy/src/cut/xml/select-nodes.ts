import { soundCutBefore } from '@palimpsest/tokens';
import { number, quantity } from '../marker.js';
import type { Counter } from '../rule.js';
import type { XmlNode } from './scan-xml.js';

/** A leaf of up to so many characters is kept whole or not at all. */
const SHORT = 240;
const LONG_ATTRIBUTE = 120;
/** What a comment that counts the missing costs. */
const NOTE = 12;
const MOST_MISSES = 128;

/** What of a node is written: its own text, shortened where need be, and which children. */
export interface Chosen {
  readonly node: XmlNode;
  readonly open: string;
  readonly children: Map<XmlNode, Chosen>;
  /** Children that are not chosen yet. */
  waiting: number;
}

interface Unit {
  readonly node: XmlNode;
  readonly parent: Chosen | null;
}

/**
 * Chooses nodes for about `budget` tokens, breadth before depth, the first of several siblings of one name before the
 * later ones. Costs are sums over pieces and so an estimate. Each node is weighed once, and only within chosen ones.
 */
export function selectXml(root: XmlNode, budget: number, counter: Counter, textRoom: number): Chosen | null {
  const queue: Unit[][] = [[{ node: root, parent: null }]];
  let left = budget;
  let misses = 0;
  let top: Chosen | null = null;
  const push = (priority: number, unit: Unit) => {
    while (queue.length <= priority) queue.push([]);
    queue[priority]?.push(unit);
  };
  for (let priority = 0; priority < queue.length && misses <= MOST_MISSES; priority += 1) {
    for (const { node, parent } of queue[priority] ?? []) {
      if (misses > MOST_MISSES) break;
      const open = ownText(node, textRoom);
      const children = tellingChildren(node);
      const whole = leafText(node, children, textRoom);
      const note = whole === null && children.length > 0 ? NOTE : 0;
      const cost = counter.count(whole ?? open + node.close) + note;
      if (cost > left) {
        misses += 1;
        continue;
      }
      misses = 0;
      left -= cost;
      const chosen: Chosen = { node, open, children: new Map(), waiting: children.length };
      if (parent === null) top = chosen;
      else {
        parent.children.set(node, chosen);
        parent.waiting -= 1;
        // Whoever has all its children needs no comment.
        if (parent.waiting === 0) left += NOTE;
      }
      if (whole !== null) {
        for (const child of children) {
          const text = ownText(child, textRoom);
          chosen.children.set(child, { node: child, open: text, children: new Map(), waiting: 0 });
        }
        continue;
      }
      const seen = new Map<string, number>();
      for (const child of children) {
        const order = seen.get(child.name) ?? 0;
        seen.set(child.name, order + 1);
        push(priority + 1 + 2 * Math.floor(Math.log2(order + 1)), { node: child, parent: chosen });
      }
    }
  }
  return top;
}

/** Children that say something: white space between elements and comments go without a word. */
export function tellingChildren(node: XmlNode): XmlNode[] {
  return node.children.filter(
    (child) =>
      child.kind !== 'comment' &&
      child.kind !== 'other' &&
      !(child.kind === 'text' && child.open.trim() === ''),
  );
}

/** The chosen nodes as XML. A parent that lacks children says how many in a comment. Missing ones are summed up. */
export function writeXml(chosen: Chosen, missing: { nodes: number }): string {
  const parts: string[] = [];
  write(chosen, parts, missing);
  return parts.join('');
}

function write({ node, open, children }: Chosen, parts: string[], missing: { nodes: number }): void {
  parts.push(open);
  let absent: XmlNode[] = [];
  const flush = () => {
    if (absent.length > 0) parts.push(`<!-- … ${describeMissing(absent)} -->`);
    missing.nodes += absent.length;
    absent = [];
  };
  for (const child of tellingChildren(node)) {
    const kept = children.get(child);
    if (kept === undefined) {
      absent.push(child);
      continue;
    }
    flush();
    write(kept, parts, missing);
  }
  flush();
  parts.push(node.close);
}

function describeMissing(nodes: readonly XmlNode[]): string {
  const name = nodes[0]?.name ?? '';
  const isOne = name !== '' && nodes.every((node) => node.name === name) && !name.includes('--');
  return isOne ? `${number(nodes.length)} more ${name.slice(0, 60)}` : quantity(nodes.length, 'more node');
}

/** An element and the one text in it, when both are short enough to stand or fall together. */
function leafText(node: XmlNode, children: readonly XmlNode[], textRoom: number): string | null {
  if (node.kind !== 'element' || children.length !== 1 || children[0]?.kind === 'element') return null;
  const text = ownText(children[0] as XmlNode, textRoom);
  return text.length <= SHORT ? ownText(node, textRoom) + text + node.close : null;
}

function ownText(node: XmlNode, textRoom: number): string {
  if (node.kind === 'text') return shorten(node.open.trim(), textRoom);
  if (node.kind === 'cdata') {
    const inside = node.open.slice(9, -3);
    return `<![CDATA[${shorten(inside, textRoom).replaceAll(']]>', ']] >')}]]>`;
  }
  if (node.kind !== 'element' || node.open.length <= LONG_ATTRIBUTE) return node.open;
  return node.open.replaceAll(/"[^"]*"|'[^']*'/g, (value) => {
    if (value.length <= LONG_ATTRIBUTE) return value;
    return value.charAt(0) + shorten(value.slice(1, -1), LONG_ATTRIBUTE) + value.charAt(0);
  });
}

/** The beginning, no reference to an entity cut in two, and how much more there was. */
function shorten(text: string, room: number): string {
  if (text.length <= room) return text;
  let end = soundCutBefore(text, room);
  const reference = text.lastIndexOf('&', end - 1);
  if (reference >= 0 && end - reference < 48 && text.indexOf(';', reference) >= end) end = reference;
  return `${text.slice(0, end)}… [${number(text.length - end)} more characters]`;
}
