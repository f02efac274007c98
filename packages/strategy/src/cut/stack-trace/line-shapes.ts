/**
 * The shapes of single lines. Every pattern is tried on at most `LINE_SAMPLE` characters and none nests
 * quantifiers, so a hostile line costs a constant.
 */
export const LINE_SAMPLE = 400;

/** Prefixes that collectors put before every line: a container's name, a time stamp with a level. */
const COMPOSE = /^[\w.-]{1,40}\s{0,20}\| ?/;
const STAMP =
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,12}(?:Z|[+-]\d\d:?\d\d)?\]? ?(?:\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|CRITICAL|SEVERE|TRACE)\]?:? ?)?/;

/** The line without a collector's prefix and carriage return, its own indentation kept. */
export function bareLine(line: string): string {
  const sample = line.length > LINE_SAMPLE ? line.slice(0, LINE_SAMPLE) : line;
  const first = sample.charCodeAt(0);
  const bare =
    first === 91 || (first >= 48 && first <= 57)
      ? sample.replace(STAMP, '')
      : sample.includes('| ')
        ? sample.replace(COMPOSE, '')
        : sample;
  return bare.endsWith('\r') ? bare.slice(0, -1) : bare;
}

/** `at x.y(File.java:1)`, `at fn (file.js:1:2)`, `at N.C.M() in f.cs:line 3`. Indented, or with a place. */
export function isAtFrame(bare: string): boolean {
  const trimmed = bare.trimStart();
  if (!trimmed.startsWith('at ') || trimmed.length < 5) return false;
  if (hasParentheses(trimmed) || /:\d+[),]?$| \[0x/.test(trimmed)) return true;
  return trimmed.length < bare.length && /^at [\w.$<>[\]]+$/.test(trimmed);
}

export function hasParentheses(line: string): boolean {
  const open = line.indexOf('(');
  return open >= 0 && line.indexOf(')', open) >= 0;
}

export const PYTHON_HEADER = 'Traceback (most recent call last)';
export const PYTHON_FRAME = /^[\s|]*File "[^"]{1,300}", line \d+/;
export const RUBY_FRAME = /^\s*(?:from )?\S{1,200}:\d+:in [`']/;
export const RUBY_HEADLINE = /:in [`'].{1,100}: .{0,200}\(\w{1,80}\)\s*$/;
export const NUMBERED_FRAME = /^\s*#\d+\s+\S/;
export const RUST_FRAME = /^\s+\d+:\s+\S/;
export const GO_PLACE = /^\s+\S{1,300}\.(?:go|s):\d+(?:\s|$)/;
export const GO_CALL = /^(?:created by )?[\w./@%*()~-]+(?:\(.*\)|\.\.\.|$| in goroutine \d+)/;
export const GO_ROUTINE = /^goroutine \d+ \[/;

/** Lines that name a further exception. */
export const CAUSE =
  /^[\s|]*(?:(?:Caused by|Suppressed|Wrapped by|Root cause|nested exception is)\b.{0,3}:|Next [\w\\]{0,120}(?:Exception|Error)\b|Next [\w\\]{1,120}: .{0,300} in \S{1,200}:\d+$|\[(?:cause|errors)\]:|--->|\(Inner Exception #\d+\)|\[CIRCULAR REFERENCE)/i;
export const CHAIN =
  /^[\s|]*(?:During handling of the above exception|The above exception was the direct cause)|^\s*(?:\| )?\s*\+[-+]{4,}/;
export const ANYHOW_CAUSES = /^\s*Caused by:\s*$/;
export const RUST_BACKTRACE = /^\s*stack backtrace:/i;
export const GO_SIGNAL = /^\[signal /;
export const OUTRIGHT =
  /(?:^|[\s:])panic: |^fatal error: |http: panic serving|panicked at |^\s*[Uu]nhandled [Ee]xception/;
export const ERROR_LINE =
  /\b[A-Z]\w*(?:Error|Exception|Failure|Fault|Throwable|Exit|Interrupt|Timeout|Warning)\b|\b(?:[Ff]atal error|FATAL|Error:|error:|error\[E\d+\])|^\s*(?:Error|error)\b/;
/** A line that begins with the name of an exception, as the JVM, Node and .NET print it. */
export const NAME_AT_START =
  /^\s*(?:Exception in thread "[^"]{0,100}" |Uncaught |Unhandled exception\. )?[\w$]+(?:\.[\w$]+)*(?:Error|Exception|Failure|Throwable)(?::|\s*$)/;
export const OMITTED = /^[\s|]*(?:\.\.\.|…) ?([\d,]{1,12}) /;
export const REPEATED = /^\s*\[Previous line repeated (\d{1,12}) more times?\]/;
export const DETAIL = /^\s+[\w[\]']{1,60}: \S/;
export const EARLIER_MARKER = /^\[… .{0,300}\]\s*$/;
