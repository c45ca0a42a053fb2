/** A line as the lines that fit the columns, broken between words where that is possible; nothing of it is lost. */
export function fold(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  if (line.length <= width) return [line];
  const space = line.lastIndexOf(" ", width);
  const cut = space < 0 || line.slice(0, space).trim() === "" ? width : space;
  return [line.slice(0, cut), ...fold(line.slice(cut).trimStart(), width)];
}

const continued = " \\";
const indent = "    ";

/** A command as lines that can be copied to a shell together; one whose words are too long is folded as any line. */
export function foldCommand(command: string, columns: number): readonly string[] {
  if (command.length <= columns) return [command];
  const space = command.lastIndexOf(" ", columns - continued.length);
  if (space < 0 || command.slice(0, space).trim() === "") return fold(command, columns);
  return [`${command.slice(0, space)}${continued}`, ...foldCommand(`${indent}${command.slice(space).trimStart()}`, columns)];
}
