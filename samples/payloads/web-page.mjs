// Wraps an article's body as a real site would: styles, scripts, JSON-LD, navigation, footer around it.

/** A whole HTML page; the fragment's first line is `lang | site | title`, the rest its article body. */
export function webPage(fragment) {
  const [head, ...rest] = fragment.split('\n');
  const [lang, site, title] = head.split(' | ');
  const sections = ['home', 'news', 'guides', 'data', 'archive', 'about', 'subscribe', 'contacts', 'sign-in'];
  const links = sections.map((name) => `<li class="nav__item"><a href="/${name}" data-track="nav:${name}">${name}</a></li>`);
  const related = Array.from({ length: 12 }, (_, index) => {
    const path = `/${sections[index % sections.length]}/${1000 + index * 37}`;
    return `<li><a href="${path}"><img src="/img/${index}.webp" alt=""><span>Read also no. ${index + 1}</span></a></li>`;
  });
  const rules = Array.from({ length: 40 }, (_, index) => `.c${index}{margin:${index}px ${index * 2}px;color:#${(index * 4177 + 1118481).toString(16).slice(0, 6)}}`);
  return `<!DOCTYPE html>
<html lang="${lang}">
<head>
<meta charset="utf-8"><title>${title} | ${site}</title>
<meta name="viewport" content="width=device-width"><link rel="preload" href="/app.js" as="script">
<style>${rules.join('')}@media(max-width:600px){.nav{display:none}}</style>
<script>window.__STATE__={"pagetype":"article","ab":{"paywall":"B","banner":3},"user":null,"ids":[${rules.map((_, index) => 880000 + index * 13).join(',')}]};(function(w){w.dl=w.dl||[];if(1<2&&w.dl.length>-1){w.dl.push({e:"view",t:"</"+"p>"})}})(window);</script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"${title}","publisher":{"@type":"Organization","name":"${site}"}}</script>
</head>
<body>
<nav class="nav" aria-label="main"><ul>${links.join('')}</ul></nav>
<div class="cookie" role="dialog"><p>We use cookies.</p><button onclick="accept()">OK</button></div>
<main><article>
<h1>${title}</h1>
${rest.join('\n').trim()}
</article>
<aside><ul class="related">${related.join('')}</ul></aside></main>
<footer><p>&copy; 2026 ${site}</p><ul>${links.join('')}</ul></footer>
<script src="/app.js" defer></script><noscript><img src="https://stat.example.com/px?id=1" alt=""></noscript>
</body>
</html>`;
}
