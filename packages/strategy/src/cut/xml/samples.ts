import type { Samples } from '../samples.js';

const item = (at: number) =>
  `  <item id="${at}">\n    <title>Entry ${at} &amp; more</title>\n    <price currency="UAH">${at * 10}</price>\n    <!-- internal -->\n  </item>\n`;

export const samples: Samples = {
  natural: {
    feed: `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n<channel>\n<title>News</title>\n${Array.from({ length: 60 }, (_, at) => item(at)).join('')}</channel>\n</rss>\n`,
    'a test report': `<testsuites><testsuite name="a" tests="90">${Array.from({ length: 90 }, (_, at) => `<testcase name="t${at}">${at % 30 === 0 ? `<failure message="expected 1 &lt; ${at}">at a.js:1</failure>` : ''}</testcase>`).join('')}</testsuite></testsuites>`,
    'SOAP with one long text': `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><r><code>17</code><text>${'Long words of an answer &amp; more. '.repeat(150)}</text></r></soap:Body></soap:Envelope>`,
    'a drawing': `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>Chart</title><path d="${'M 1 2 L 3 4 '.repeat(300)}"/></svg>`,
    CDATA: `<log>${Array.from({ length: 60 }, (_, at) => `<entry><![CDATA[step ${at} <ok> & done]]></entry>`).join('')}</log>`,
  },
  parts: [
    '<a>',
    '</a>',
    '<b x="1">',
    '</b>',
    '<c/>',
    'text',
    '&amp;',
    '&',
    '<',
    '<!-- c -->',
    '<![CDATA[ x ]]>',
    '<?p?>',
    ' \n',
    '👩‍👩‍👧‍👦',
  ],
  between: '',
  hostile: {
    'deep nesting': (size) => `${'<a>'.repeat(900)}${'<b>x</b>'.repeat(size / 8)}${'</a>'.repeat(900)}`,
    'too deep nesting': (size) => '<a>'.repeat(size / 7) + '</a>'.repeat(size / 7),
    siblings: (size) => `<a>${'<b/>'.repeat(size / 4)}</a>`,
    'siblings of many names': (size) =>
      `<a>${Array.from({ length: size / 8 }, (_, at) => `<b${at}/>`).join('')}</a>`,
    'unclosed comments': (size) => `<a>${'<!--'.repeat(size / 4)}`,
    attributes: (size) => `<a ${Array.from({ length: size / 10 }, (_, at) => `b${at}="c"`).join(' ')}/>`,
    'attributes that break off': (size) => `<a ${'b = "c" '.repeat(size / 8)}`,
    'white space in a tag': (size) => `<a${' '.repeat(size)}<`,
    references: (size) => `<a>${'&amp;'.repeat(size / 5)}</a>`,
    'a long text': (size) => `<a>${'x'.repeat(size)}</a>`,
  },
  fault: unbalanced,
};

/** Matches tags by hand, so that the rule's own reader is not its judge. */
function unbalanced(rendition: string): string | null {
  const bare = rendition.replaceAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/g, '');
  const open: string[] = [];
  for (const [, end, name, self] of bare.matchAll(/<(\/?)([^\s/>]+)[^>]*?(\/?)>/g)) {
    if (end === '/' && open.pop() !== name) return `</${name}> closes nothing`;
    if (end === '' && self === '') open.push(name ?? '');
  }
  const text = bare.replaceAll(/<[^>]*>/g, '');
  if (/[<]|&(?!#?\w{1,40};)/.test(text)) return `markup in text: ${text.slice(0, 80)}`;
  return open.length === 0 ? null : `<${open.at(-1)}> is not closed`;
}
