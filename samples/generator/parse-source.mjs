// Reads samples/sources/*.txt: a header of `@key value` lines, then turns. A turn starts with a tag at the
// beginning of a line and runs to the next tag; the tags are listed in samples/README.md.

const TAG =
  /^\[(system|developer|user|assistant|thinking|call|result|pin|unpin|correction|state|phase|at|task|done|strategy|step)\b([^\]]*)\]\s?(.*)$/;

/** The header and the turns of one source; throws with the line number on what it cannot read. */
export function parseSource(text, file) {
  const header = { tools: [] };
  const turns = [];
  for (const [index, line] of text.split('\n').entries()) {
    const tag = TAG.exec(line);
    if (tag) {
      turns.push({ kind: tag[1], ...optionsOf(tag[2]), text: tag[3], line: index + 1 });
    } else if (turns.length > 0) {
      turns.at(-1).text += `\n${line}`;
    } else if (line.startsWith('@tool ')) {
      const [names, ...summary] = line.slice(6).split(': ');
      const [name, ...phases] = names.split('@');
      header.tools.push({ name, phases, summary: summary.join(': ') });
    } else if (line.startsWith('@')) {
      const [key, ...rest] = line.slice(1).split(' ');
      header[key] = rest.join(' ');
    } else if (line.trim() !== '') {
      throw new Error(`Reading ${file}: line ${index + 1} is neither a header nor a turn; start it with @ or [tag].`);
    }
  }
  for (const turn of turns) turn.text = turn.text.trim();
  return { header, turns };
}

// ` #label key=value <payload ! word` inside a tag.
function optionsOf(raw) {
  const options = { labels: [], words: [] };
  for (const word of raw.trim().split(/\s+/).filter(Boolean)) {
    if (word.startsWith('#')) options.labels.push(word.slice(1));
    else if (word.startsWith('<')) options.payload = word.slice(1);
    else if (word === '!') options.failed = true;
    else if (word.includes('=')) options[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
    else options.words.push(word);
  }
  return options;
}
