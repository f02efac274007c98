import { tokenCounter } from '@palimpsest/tokens';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from '../index.js';
import { samples } from './samples.js';
import { scanXml } from './scan-xml.js';

const counter = tokenCounter();
const cutTo = (text: string, maxTokens: number) => cut({ text }, { maxTokens, counter, handle: 'a-1' }).text;

describe('cutting XML', () => {
  it('drops comments and white space between elements first', () => {
    const text = `<?xml version="1.0"?>\n<r>\n${'   <!-- nothing of use -->\n'.repeat(50)}  <a>1 &amp; 2</a>\n</r>`;
    expect(cutTo(text, 60)).toBe('<r><a>1 &amp; 2</a></r>');
  });

  it('keeps the first of many like elements and counts the others where they were', () => {
    const shown = cutTo(samples.natural['feed'] ?? '', 200);
    expect(shown).toContain('<title>News</title>');
    expect(shown).toContain('<item id="0"><title>Entry 0 &amp; more</title>');
    expect(shown).toMatch(
      /<!-- … \d+ more item --><\/channel><\/rss>\n<!-- \[… \d+ nodes cut; full text: artifact a-1\] -->$/,
    );
  });

  it('does not cut a reference in two', () => {
    for (let maxTokens = 85; maxTokens < 115; maxTokens += 1) {
      const shown = cutTo(samples.natural['SOAP with one long text'] ?? '', maxTokens);
      expect(shown).not.toMatch(/&(?!amp;)/);
      expect(shown).toContain('<code>17</code>');
    }
  });

  it('is the empty root where nothing else has room', () => {
    expect(cutTo(samples.natural['a drawing'] ?? '', 4)).toBe('<svg/>');
  });

  it.each([
    '<a><b></a></b>',
    '<a>',
    '<a/><b/>',
    '<a x=1/>',
    '<a>1 & 2</a>',
    '<a>1 < 2</a>',
    'x<a/>',
    '<a><!-- </a>',
    '<1/>',
    '',
  ])('does not take %j for XML', (text) => {
    expect(scanXml(text)).toBeNull();
  });

  it('reads what it takes for XML without loss', () => {
    type Tree = string | { name: string; children: Tree[] };
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('text', ' ', '&lt;', '<![CDATA[<&]]>', '<?p?>', '<!-- c -->', '<e x="1>2"/>'),
        fc.record({
          name: fc.constantFrom('a', 'b:c', 'дані'),
          children: fc.array(tie('tree'), { maxLength: 4 }),
        }),
      ),
    }));
    const write = (one: Tree): string =>
      typeof one === 'string' ? one : `<${one.name}>${one.children.map(write).join('')}</${one.name}>`;
    const join = (nodes: NonNullable<ReturnType<typeof scanXml>>): string =>
      nodes.map((node) => node.open + join(node.children) + node.close).join('');
    fc.assert(
      fc.property(tree, (one) => {
        const text = `<root>${write(one)}</root>`;
        expect(join(scanXml(text) ?? [])).toBe(text);
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});
