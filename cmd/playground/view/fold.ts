/** A line as the lines that fit the columns, broken between words where that is possible; nothing of it is lost. */
export function fold(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  if (line.length <= width) return [line];
  const space = line.lastIndexOf(" ", width);
  const cut = space < 0 || line.slice(0, space).trim() === "" ? width : space;
  return [line.slice(0, cut), ...fold(line.slice(cut).trimStart(), width)];
}
