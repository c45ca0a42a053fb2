/** The text of a message that may have several lines. */
export const oneLine = (text: string) => text.replaceAll("\n", " ");

/** Wraps a line at the given columns: between words where possible, else after a comma. */
export function fold(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  if (line.length <= width) return [line];
  const space = line.lastIndexOf(" ", width);
  const isLongWord = space < 0 || line.slice(0, space).trim() === "";
  const cut = isLongWord ? line.lastIndexOf(",", width - 1) + 1 || width : space;
  return [line.slice(0, cut), ...fold(line.slice(cut).trimStart(), width)];
}

/** The width of the names before the facts of the introduction. */
const nameWidth = 12;

/** Wraps a line that begins with the name of what it is about: the rest stays beside it. */
export function foldNamed(line: string, columns: number): readonly string[] {
  const isNamed = /^ {2}[a-z]+ +$/.test(line.slice(0, nameWidth)) && line[nameWidth] !== " ";
  if (!isNamed || columns < 2 * nameWidth) return fold(line, columns);
  const [first = "", ...more] = fold(line.slice(nameWidth), columns - nameWidth);
  return [line.slice(0, nameWidth) + first, ...more.map((rest) => " ".repeat(nameWidth) + rest)];
}

const continued = " \\";
const indent = "    ";

/** Wraps a shell command so that its lines can be copied together. A command whose words are too long is wrapped as any line. */
export function foldCommand(command: string, columns: number): readonly string[] {
  if (command.length <= columns) return [command];
  const space = command.lastIndexOf(" ", columns - continued.length);
  if (space < 0 || command.slice(0, space).trim() === "") return fold(command, columns);
  return [`${command.slice(0, space)}${continued}`, ...foldCommand(`${indent}${command.slice(space).trimStart()}`, columns)];
}

/** With fewer rows below the help, the view is not worth drawing. */
const leastView = 4;

/** The help in pages, each with a last row for the key that turns them; a single page without it where the view fits below. */
export function helpPages(lines: readonly string[], rows: number, key: string): readonly (readonly string[])[] {
  if (lines.length + leastView <= rows) return [lines];
  const perPage = Math.max(1, rows - 1);
  const count = Math.ceil(lines.length / perPage);
  return Array.from({ length: count }, (_, i) => [
    ...lines.slice(i * perPage, (i + 1) * perPage),
    i + 1 < count ? `${key} more (${i + 1} of ${count})` : `${key} back`,
  ]);
}
