import type { Samples } from '../samples.js';

const paragraph = '<p>The storm reached the coast at noon, and 5 &lt; wind &lt; 9 was measured in Odesa.</p>';

export const samples: Samples = {
  natural: {
    article: `<!doctype html><html><head><title>Forecast</title><style>.a{width:1px}</style><script>var x='</p>';</script></head><body><nav>Home|News</nav><article><h1>Forecast</h1>${paragraph.repeat(60)}</article></body></html>`,
    'a page of rows': `<html><body><table><tr><th>Day</th><th>Degrees</th></tr>${Array.from({ length: 150 }, (_, at) => `<tr><td title="a>b">Day ${at}</td><td>${at % 30}</td></tr>`).join('')}</table></body></html>`,
    'tags that are not closed': `<html><body><div><ul>${'<li>One more entry of the list'.repeat(200)}`,
    'a page built by script': `<html><head><title>App</title></head><body><div id="root"></div><script>${'var a={b:1};'.repeat(400)}</script></body></html>`,
  },
  parts: [
    '<div>',
    '</p>',
    '<script>',
    '<!--',
    '-->',
    '<table><tr><td>',
    'a>b',
    '&lt;',
    '<nav>',
    '<svg><title>',
    'слово ',
    '<article>',
    ' x="',
    '<template>',
    '</template>',
    '<pre>',
    '👩‍👩‍👧‍👦',
  ],
  between: '',
  hostile: {
    'unclosed tags': (size) => `<html>${'<div><b>'.repeat(size / 16)}${'</i></span>'.repeat(size / 22)}`,
    'open brackets': (size) => `<html>${'<'.repeat(size)}`,
    'unclosed comments': (size) => `<html>${'<!--'.repeat(size / 4)}`,
    'unclosed attributes': (size) => `<html>${'<a href="'.repeat(size / 9)}`,
    'nested tables': (size) => `<html>${'<table><tr><td>'.repeat(size / 15)}`,
    templates: (size) => `<html>${'<template></div>'.repeat(size / 16)}`,
    'white space': (size) => `<html><p>${' \n'.repeat(size / 2)}x`,
    entities: (size) => `<html><p>${'&amp;&nosuch;'.repeat(size / 13)}`,
  },
  // The rendition is text: what was markup must not show in it.
  fault: (rendition) =>
    /<\/?(?:script|style|nav|div|td|tr)\b|var x=|\.a\{|var a=\{/.exec(rendition)?.[0] ?? null,
};
