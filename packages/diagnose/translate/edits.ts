/** A part of a text that is replaced; everything else stays as it is. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, text: replacement } of inOrder(edits)) {
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

export const inOrder = (edits: readonly Edit[]) => edits.toSorted((a, b) => a.start - b.start);

const contextLines = 3;

interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** The edits as `diff -u` shows them. They begin and end at the ends of lines. */
export function unifiedDiff(name: string, text: string, edits: readonly Edit[]): string {
  const before = linesOf(text);
  const changes = inOrder(edits).map((edit) => trimmed(before, toChange(text, edit)));
  const real = changes.filter(({ from, to, lines }) => to > from || lines.length > 0);
  if (real.length === 0) return "";
  let shift = 0;
  const hunks = grouped(real).map((group) => {
    const start = Math.max(0, (group[0]?.from ?? 0) - contextLines);
    const end = Math.min(before.length, (group.at(-1)?.to ?? 0) + contextLines);
    const body: string[] = [];
    let at = start;
    for (const { from, to, lines } of group) {
      body.push(
        ...before.slice(at, from).map((line) => ` ${line}`),
        ...before.slice(from, to).map((line) => `-${line}`),
        ...lines.map((line) => `+${line}`),
      );
      at = to;
    }
    body.push(...before.slice(at, end).map((line) => ` ${line}`));
    const length = body.filter((line) => !line.startsWith("-")).length;
    const head = `@@ -${position(start, end - start)} +${position(start + shift, length)} @@\n`;
    shift += length - (end - start);
    return head + body.map((line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`)).join("");
  });
  return `--- a/${name}\n+++ b/${name}\n${hunks.join("")}`;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop();
  return [...lines.map((line) => `${line}\n`), ...(last ? [last] : [])];
}

function position(start: number, length: number): string {
  const line = length === 0 ? start : start + 1;
  return length === 1 ? String(line) : `${line},${length}`;
}

function toChange(text: string, { start, end, text: replacement }: Edit): Change {
  const [first, last] = [text.lastIndexOf("\n", start - 1) + 1, end > 0 && text[end - 1] !== "\n" ? lineEnd(text, end) : end];
  const whole = text.slice(first, start) + replacement + text.slice(end, last);
  const from = linesOf(text.slice(0, first)).length;
  return { from, to: from + linesOf(text.slice(first, last)).length, lines: linesOf(whole) };
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** Without the lines at both ends that do not change. */
function trimmed(before: readonly string[], { from, to, lines }: Change): Change {
  let [first, last, start, end] = [from, to, 0, lines.length];
  while (first < last && start < end && before[first] === lines[start]) [first, start] = [first + 1, start + 1];
  while (last > first && end > start && before[last - 1] === lines[end - 1]) [last, end] = [last - 1, end - 1];
  return { from: first, to: last, lines: lines.slice(start, end) };
}

/** Changes whose context would touch are shown together. */
function grouped(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last && change.from - (last.at(-1)?.to ?? 0) <= 2 * contextLines) last.push(change);
    else groups.push([change]);
  }
  return groups;
}
