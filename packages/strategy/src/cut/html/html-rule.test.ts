import { tokenCounter } from '@palimpsest/tokens';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from '../cut.js';
import { extractHtml } from './extract-html.js';

const counter = tokenCounter();

function textOf(html: string): string {
  return extractHtml(html)
    .blocks.map((block) => block.text)
    .join('\n');
}

function prose(word: string): string {
  return `<p>${`The ${word} is here. `.repeat(40)}</p>`;
}

describe('cutting a page', () => {
  const case10 = `<html><head><style>.a{width:1px}</style><script>var pagetype='x';</script></head><body><nav>Home|News</nav><article><h1>Forecast</h1><p>Kyiv +18&nbsp;C, 5 &lt; wind &lt; 9</p><table><tr><td title="a>b">Mon</td><td>17</td></tr></table></article></body></html>`;

  it('extracts before it cuts', () => {
    for (const maxTokens of [25, 30, 50, 80]) {
      const { text, tokens } = cut({ text: case10 }, { maxTokens, counter, handle: 'abc' });
      expect(tokens).toBeLessThanOrEqual(maxTokens);
      for (const kept of ['Forecast', 'Kyiv +18 C', '5 < wind < 9', 'Mon | 17']) expect(text).toContain(kept);
      for (const gone of ['pagetype', '.a{', 'News', 'b">']) expect(text).not.toContain(gone);
    }
  });

  it('shows the lead, then the first rows of tables, then the rest', () => {
    const rows = Array.from({ length: 80 }, (_, at) => `<tr><td>row${at}<td>${at}`).join('');
    const page = `<html><main><h1>T</h1>${prose('lead')}${prose('middle').repeat(5)}<table>${rows}</table></main></html>`;
    const { text } = cut({ text: page }, { maxTokens: 400, counter });
    expect(text).toContain('The lead is here.');
    expect(text).toContain('row0 | 0');
    expect(text).toContain('The middle is here.');
    expect(text).not.toContain('row70');
    const short = cut({ text: page }, { maxTokens: 120, counter, htmlLeadChars: 100 }).text;
    expect(short).toContain('row0 | 0');
  });

  it('says so when a page has no text', () => {
    const shell = `<!doctype html><html><head><title>Shop</title><meta name="description" content="Buy &amp; sell"></head><body><div id="root"></div><script>${'x();'.repeat(900)}</script><noscript>Enable JavaScript</noscript></body></html>`;
    const { text } = cut({ text: shell }, { maxTokens: 60, counter, handle: 'abc' });
    expect(text).toContain('without readable text');
    expect(text).toContain('title: Shop');
    expect(text).toContain('description: Buy & sell');
    expect(text).toContain('artifact abc');
  });

  it('keeps any page within its cap', () => {
    const part = fc.constantFrom(
      '<div>',
      '<p>',
      'word ',
      '<td>',
      '<tr>',
      '</table>',
      '<table>',
      '<h2>',
      '&amp;',
      '<pre>\n',
      '</',
      '<a href="x>y">',
      '<article>',
      '<nav>',
      '</nav>',
      '漢字',
      '<!-',
      '<![CDATA[',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 200 }), fc.integer({ min: 0, max: 80 }), (parts, maxTokens) => {
        const result = cut(
          { text: `<html>${parts.join('')}`, declaredType: 'text/html' },
          { maxTokens, counter },
        );
        expect(result.tokens).toBeLessThanOrEqual(maxTokens);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe('the text of a page', () => {
  it.each([
    ['an unclosed script', '<body><p>Seen</p><script>var leak = "<p>leak</p>"'],
    ['JSON-LD', '<body><script type="application/ld+json">{"leak":1}</script><p>Seen'],
    ['upper case tags', '<BODY><SCRIPT>leak</SCRIPT><STYLE>leak</STYLE><P>Seen</P></BODY>'],
    ['a title in an icon', '<body><svg><title>leak</title><text>leak</text></svg><p>Seen'],
    ['nested templates', '<body><template><div><template>leak</template></div>leak</template><p>Seen'],
    ['comment traps', '<body><!-- <article>leak</article> --><!--><p>Seen<!-- leak --!><!-- leak'],
    ['attributes', `<body><p title="leak > leak" data-x='<b>leak</b>'>Seen</p>`],
    ['hidden elements', '<body><div hidden>leak</div><div style="display: none">leak</div><p>Seen'],
    [
      'form controls',
      '<body><select><option>leak</select><textarea><p>leak</p></textarea><button>leak</button><p>Seen',
    ],
    [
      'an article behind an unclosed navigation',
      '<body><nav><a>leak</a><ul><li>leak<article><p>Seen</p></article>',
    ],
    [
      'a header outside the article',
      '<body><header>leak</header><article><header><h1>Seen</h1></header></article><footer>leak',
    ],
    [
      'text outside the main part',
      '<body><div>leak</div><main><p>Seen and more of it</p></main><div>leak</div>',
    ],
  ])('is not disturbed by %s', (_, html) => {
    const text = textOf(html);
    expect(text).toContain('Seen');
    expect(text).not.toContain('leak');
  });

  it('keeps rows together, cells of nested markup too', () => {
    expect(
      textOf(
        '<table><thead><tr><th>Day<th>°C</thead><tbody><tr><td><p>Mon</p><td><b>1</b>7<tr><td>Tue<td>18</table>',
      ),
    ).toBe('Day | °C\nMon | 17\nTue | 18');
  });

  it('decodes entities and flows white space, but not in preformatted text', () => {
    expect(textOf('<p>a&nbsp;&amp;\n  b &#x1F600;</p><pre>x\n  y</pre><ul><li>one<li>two</ul>')).toBe(
      'a &\nb 😀\nx\n  y\n- one\n- two',
    );
  });

  it('cuts the trace on an error page by its own rule', () => {
    const frames = Array.from(
      { length: 60 },
      (_, at) => `\tat org.springframework.X.call${at}(X.java:${at})`,
    );
    const page = `<html><body><h1>Error 500</h1><pre>java.lang.RuntimeException: order\n${frames.join('\n')}\nCaused by: java.io.IOException: disk full: /data\n${frames.join('\n')}\n</pre></body></html>`;
    const { text } = cut({ text: page }, { maxTokens: 150, counter });
    expect(text).toContain('Error 500');
    expect(text).toContain('RuntimeException: order');
    expect(text).toContain('disk full: /data');
  });
});
