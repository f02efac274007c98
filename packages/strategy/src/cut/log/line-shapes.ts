/** A time or a level in front: what log files, journals and syslog write. */
export const STAMPED =
  /^\S{0,40}?\s{0,4}(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]|\[?\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{6} \d{6} |\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b)/;

/** Levels, what compilers, package managers and test runners write before or into what went wrong. */
const ALARM =
  /\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|ALERT|EMERG|ERR!|[Ff]atal:|[Ff]ailed|FAILED|FAILURES?|[Ee]xception)|\b[Ee]rror(?:\[[A-Z]\d+\])?:|\berror [A-Z]{1,4}\d+:|\b[A-Z]\w*(?:Error|Exception)\b|^E {3,}\S|^not ok \d|\*\*\* |^\s*[✗✖×✘] |: command not found|: No such file|Permission denied|Segmentation fault/;
const WARNING = /\b(?:WARN|WARNING|[Ww]arning:|DEPRECATED)\b/;
const MARKDOWN = /^(?:#{1,6} \S|```|~~~)/;
const SENTENCE = /[\p{L}\p{N},;:)] \p{L}+[.!?…]$|[。！？]$/u;
const LEAST_LINES = 20;
const LEAST_LINES_OF_ERROR = 8;

export function isAlarm(line: string): boolean {
  return ALARM.test(line);
}

export function isWarning(line: string): boolean {
  return WARNING.test(line);
}

/**
 * Whether a text without time stamps is what a command has printed: many short lines that are no prose and no Markdown,
 * and something went wrong in one of them (or the tool said so). Looks at both ends and the middle of a long text.
 */
export function looksLikeOutput(text: string, isError: boolean): boolean {
  const least = isError ? LEAST_LINES_OF_ERROR : LEAST_LINES;
  const middle = Math.max(0, (text.length >> 1) - 4_000);
  const samples =
    text.length <= 24_000
      ? [text]
      : [text.slice(0, 8_000), text.slice(middle, middle + 8_000), text.slice(-8_000)];
  const lines = samples.flatMap((sample) => sample.split('\n')).filter((line) => line.trim() !== '');
  if (lines.length < least) return false;
  let characters = 0;
  let sentences = 0;
  let alarms = 0;
  for (const line of lines) {
    const sample = line.slice(0, 300);
    if (MARKDOWN.test(sample)) return false;
    characters += line.length;
    if (SENTENCE.test(line.slice(-40))) sentences += 1;
    if (isAlarm(sample)) alarms += 1;
  }
  if (characters / lines.length > 160 || sentences > lines.length / 4) return false;
  return isError || alarms > 0;
}
