/** `help`, `help <command>` and `version`, as many programs have them, in the flags of this one. */
export function leadingWordsAsFlags(argv: readonly string[]): readonly string[] {
  const [word, ...rest] = argv;
  if (word === "help") return [...rest, "--help"];
  return word === "version" && rest.length === 0 ? ["--version"] : argv;
}
