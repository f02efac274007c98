/** A line of a hunk's body. `\ No newline at end of file` belongs to the line it speaks of. */
export interface DiffLine {
  readonly text: string;
  readonly side: ' ' | '+' | '-';
  /** Its number in the old and in the new file; for a line of one side the other is where it would stand. */
  readonly before: number;
  readonly after: number;
}

interface Hunk {
  /** What follows the second `@@`: the function it lies in. */
  readonly section: string;
  readonly lines: readonly DiffLine[];
}

/** What a diff says of one file; `head` is empty for text before the first file. */
export interface FileDiff {
  readonly head: readonly string[];
  readonly hunks: readonly Hunk[];
  /** Lines that belong to no hunk: a commit's message, `Binary files differ`. */
  readonly other: readonly string[];
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)/;
const HEAD =
  /^(?:diff --git |index [0-9a-f]|old mode |new mode |new file mode |deleted file mode |similarity index |rename |copy |--- \S|\+\+\+ \S)/;

/** Reads a unified diff in one pass; never throws. A hunk ends where its header says, or where its lines do. */
export function readDiff(text: string): FileDiff[] {
  const lines = text.split('\n');
  const files: { head: string[]; hunks: Hunk[]; other: string[] }[] = [];
  let file = { head: [] as string[], hunks: [] as Hunk[], other: [] as string[] };
  files.push(file);
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const found = HUNK.exec(line);
    if (found !== null) {
      const { hunk, end } = readHunk(lines, at + 1, found);
      file.hunks.push(hunk);
      at = end;
      continue;
    }
    if (startsFile(line, lines[at + 1] ?? '', file)) {
      file = { head: [line], hunks: [], other: [] };
      files.push(file);
    } else if (HEAD.test(line) && file.head.length > 0 && file.hunks.length === 0) {
      file.head.push(line);
    } else {
      file.other.push(line);
    }
    at += 1;
  }
  return files.filter((one) => one.head.length + one.hunks.length + one.other.length > 0);
}

function startsFile(line: string, next: string, file: { head: string[]; hunks: Hunk[] }): boolean {
  if (line.startsWith('diff --git ')) return true;
  if (!line.startsWith('--- ') || !next.startsWith('+++ ')) return false;
  return file.hunks.length > 0 || file.head.length === 0;
}

function readHunk(lines: readonly string[], from: number, header: RegExpExecArray) {
  let before = Number(header[1]);
  let after = Number(header[3]);
  let oldLeft = Number(header[2] ?? 1);
  let newLeft = Number(header[4] ?? 1);
  // The header of an empty side names the line before it.
  if (oldLeft === 0) before += 1;
  if (newLeft === 0) after += 1;
  const body: DiffLine[] = [];
  let at = from;
  while (at < lines.length && (oldLeft > 0 || newLeft > 0)) {
    const line = lines[at] ?? '';
    // Editors strip the space of an empty context line.
    const side = line === '' ? ' ' : line.charAt(0);
    if (side !== ' ' && side !== '+' && side !== '-') break;
    if ((side !== '+' && oldLeft === 0) || (side !== '-' && newLeft === 0)) break;
    if (line === '' && at === lines.length - 1) break;
    body.push({ text: line === '' ? ' ' : line, side, before, after });
    if (side !== '+') [before, oldLeft] = [before + 1, oldLeft - 1];
    if (side !== '-') [after, newLeft] = [after + 1, newLeft - 1];
    at += 1;
    const last = body.at(-1);
    if (last !== undefined && lines[at]?.startsWith('\\ ')) {
      body[body.length - 1] = { ...last, text: `${last.text}\n${lines[at]}` };
      at += 1;
    }
  }
  return { hunk: { section: header[5] ?? '', lines: body }, end: at };
}
