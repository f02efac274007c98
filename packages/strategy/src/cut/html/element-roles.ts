/** Elements whose content is no text of the page. */
const SILENT = new Set(
  'script style template noscript svg math iframe object embed applet canvas audio video map head noembed noframes button select option optgroup datalist textarea dialog progress meter rp annotation annotation-xml'.split(
    ' ',
  ),
);
/** Parts around the text. A header inside an article belongs to it. */
const AROUND = new Set(['nav', 'footer', 'aside', 'menu', 'header']);
const AROUND_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'dialog',
]);
const MAIN = new Set(['main', 'article']);
const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen'.split(
    ' ',
  ),
);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr output q rb rt ruby s samp small span strike strong sub sup time tt u var wbr input'.split(
    ' ',
  ),
);

export interface Attributes {
  readonly [name: string]: string;
}

export const isVoid = (tag: string): boolean => VOID.has(tag);
export const isInline = (tag: string): boolean => INLINE.has(tag);
export const isMain = (tag: string, attributes: Attributes): boolean =>
  MAIN.has(tag) || attributes['role'] === 'main';
export const isForeign = (tag: string): boolean => tag === 'svg' || tag === 'math';

/** Whether nothing inside the element is shown to a reader of the main text. */
export function isSkipped(tag: string, attributes: Attributes, insideMain: boolean): boolean {
  if (SILENT.has(tag)) return true;
  if (isMain(tag, attributes)) return false;
  if (AROUND.has(tag)) return !(insideMain && tag === 'header');
  if ('hidden' in attributes && attributes['hidden'] !== 'until-found') return true;
  if (attributes['aria-hidden'] === 'true' && !isInline(tag)) return true;
  if (AROUND_ROLES.has(attributes['role'] ?? '')) return true;
  return /display:none|visibility:hidden/.test(
    (attributes['style'] ?? '').replaceAll(/\s/g, '').toLowerCase(),
  );
}

/** Elements that a new one of the same kind closes although no end tag was written. */
const CLOSED_BY: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  option: ['option'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  body: ['head'],
  tbody: ['tbody', 'thead', 'tr', 'td', 'th'],
};

export const closedBy = (tag: string): readonly string[] => CLOSED_BY[tag] ?? [];
