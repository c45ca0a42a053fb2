import { camelCase, type FlagTable, type FlagValues } from "../flags/flag.ts";
import { read } from "../flags/given.ts";
import { Misuse } from "../flags/misuse.ts";

/** What a sub-command came to; the caller writes and exits. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Takes the flags of a sub-command out of a command line; the rest is the program's own. Throws `Misuse` where they cannot be
 * understood.
 */
export function takeFlags<Table extends FlagTable>(
  argv: readonly string[],
  table: Table,
): { readonly values: FlagValues<Table>; readonly rest: readonly string[] } {
  const names = new Map(
    Object.entries(table).flatMap(([name, flag]) => [name, ...(flag.aliases ?? [])].map((each) => [each, name] as const)),
  );
  const given = new Map<string, Map<string, string[]>>();
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const [, spelling = "", attached] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const name = names.get(spelling);
    if (name === undefined) {
      rest.push(word);
      continue;
    }
    const value = attached ?? argv[++at];
    if (value === undefined) throw new Misuse(`flag needs an argument: --${spelling}`);
    const texts = given.get(name) ?? new Map<string, string[]>();
    texts.set(spelling, [...(texts.get(spelling) ?? []), value]);
    given.set(name, texts);
  }
  const values = Object.entries(table).map(([name, flag]) => {
    const value = read(flag, given.get(name) ?? new Map())?.value ?? flag.initial;
    const problem = flag.check?.(value, name);
    if (problem !== undefined) throw new Misuse(problem);
    return [camelCase(name), value];
  });
  return { values: Object.fromEntries(values) as FlagValues<Table>, rest };
}

/** The flags of a sub-command, for its help. */
export function flagsText(table: FlagTable): string {
  const entries = Object.entries(table).map(([name, { aliases = [], type, initial, format, help }]) => {
    const spellings = [`--${name}`, ...aliases.map((alias) => (alias.length === 1 ? `-${alias}` : `--${alias}`))].join(", ");
    const text = format(initial);
    return `  ${spellings} ${type}${text === "" ? "" : ` (default ${text})`}\n        ${help}`;
  });
  return entries.join("\n");
}

/** Whether the user only asks what there is to ask. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.some((word) => /^--?(h|help)$/.test(word));
}
