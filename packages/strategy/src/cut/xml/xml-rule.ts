import { marker, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { scanXml, type XmlNode } from './scan-xml.js';
import { selectXml, tellingChildren, writeXml } from './select-nodes.js';

const ATTEMPTS = 6;
/** A choice that takes this much of the cap is not improved on. */
const GOOD_USE = 0.85;
/** A text inside may take this share of the cap, in characters at about three to a token. */
const TEXT_SHARE = 0.75;

/**
 * XML (feeds, SOAP, JUnit reports, SVG, configuration): well-formed XML out. Comments, declarations and white space
 * between elements go first; then the most telling elements are kept, breadth before depth, and each element that lacks
 * children says so in a comment. Below the smallest note: the root element, empty.
 */
export const xmlRule: Rule<'xml'> = {
  type: 'xml',
  mime: 'application/xml',
  mimes: ['application/xml', 'text/xml', 'application/rss+xml', 'application/atom+xml', 'image/svg+xml'],
  tools: /(?:^|[_.-])(?:xml|rss|soap|sitemap)(?:$|[_.-])/i,
  accepts: (text) => looksLikeXml(text) && scanXml(text) !== null,
  detects: (text) => looksLikeXml(text) && scanXml(text) !== null,
  cut: cutXml,
};

function looksLikeXml(text: string): boolean {
  return /^\uFEFF?\s*<(?:\?xml|!--|!DOCTYPE|[\p{L}_])/u.test(text.slice(0, 200));
}

function cutXml(text: string, context: RuleContext): RuleResult | null {
  const root = scanXml(text)?.find((node) => node.kind === 'element');
  if (root === undefined) return null;
  const { counter, maxTokens } = context;
  const compact = compactXml(root, maxTokens * 64);
  if (compact !== null && counter.count(compact) <= maxTokens) {
    return { text: compact, dropped: 'white space and comments' };
  }
  return selected(root, context) ?? stub(root, context);
}

/** Without comments and white space between elements; null when longer than `most` characters. */
function compactXml(root: XmlNode, most: number): string | null {
  const parts: string[] = [];
  let size = 0;
  const write = (node: XmlNode): void => {
    size += node.open.length;
    if (size > most) return;
    parts.push(node.open);
    for (const child of tellingChildren(node)) write(child);
    parts.push(node.close);
  };
  write(root);
  return size > most ? null : parts.join('');
}

function selected(root: XmlNode, context: RuleContext): RuleResult | null {
  const { counter, maxTokens } = context;
  const widest = note('999 nodes cut', context, 0.35);
  const textRoom = Math.max(60, Math.floor(maxTokens * TEXT_SHARE * 3));
  let target = maxTokens - counter.count(widest);
  let best: RuleResult | null = null;
  let over = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && target > 0; attempt += 1) {
    const chosen = selectXml(root, target, counter, attempt > 2 ? Math.ceil(textRoom / 2) : textRoom);
    if (chosen === null) break;
    const missing = { nodes: 0 };
    const body = writeXml(chosen, missing);
    const dropped = missing.nodes === 0 ? 'long texts cut' : `${quantity(missing.nodes, 'node')} cut`;
    const text = body + note(dropped, context, 0.35);
    const tokens = counter.count(text);
    if (tokens <= maxTokens) {
      if (best === null || text.length > best.text.length) best = { text, dropped };
      if (tokens >= maxTokens * GOOD_USE || over - target <= 1) break;
      target = Math.min(target + Math.max(1, maxTokens - tokens), Math.floor((target + over) / 2));
    } else {
      over = target;
      target = Math.min(target - 1, Math.floor(((target * maxTokens) / tokens) * 0.97));
    }
    if (target >= over) break;
  }
  return best;
}

function stub(root: XmlNode, context: RuleContext): RuleResult | null {
  const { counter, maxTokens } = context;
  const empty = `<${root.name}/>`;
  const forms = [empty + note('all content cut', context, 0.7), empty];
  const text = forms.find((form) => counter.count(form) <= maxTokens);
  return text === undefined ? null : { text, dropped: 'all content' };
}

/** The marker as a comment behind the root, where XML allows one; two hyphens would end it. */
function note(what: string, context: RuleContext, share: number): string {
  const text = marker(what, context.handle, context.maxTokens, context.counter, share);
  return text === '' ? '' : `\n<!-- ${text.replaceAll('--', '- ')} -->`;
}
