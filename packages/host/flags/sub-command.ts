import { ownValue } from "@csi-sidecars/base";
import { commandLineOf, type SidecarProgram } from "../program/sidecar-program.ts";
import { type ExitCode, exitCode, Misuse } from "./exit-code.ts";
import { camelCase, type FlagTable, type FlagValues, refusal } from "./flag.ts";
import { read } from "./given-values.ts";
import type { Program } from "./program.ts";
import { readCommandLine } from "./read-command-line.ts";
import type { Settings } from "./resolve.ts";
import { processFlagsIn } from "./spellings.ts";
import type { ProcessFlag } from "./standard-flags.ts";

/** The result of a sub-command; the caller writes and exits. */
export interface CommandResult {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that takes the program's own flags too, so that the arguments of a container can be given as they are. */
export interface SubCommand<Table extends FlagTable> {
  readonly name: string;
  readonly flags: Table;
  /** The words beside the flags, for its help; without them there must be none. */
  readonly operands?: string;
  /** What follows after the program's name in typical calls, for its help. */
  readonly examples?: readonly string[];
  /** The program's own flags that most calls need, for its help. */
  readonly uses?: readonly ProcessFlag[];
  /** What it does, for its help. */
  help(program: string): string;
}

export type SubCommandLine<Table extends FlagTable> =
  | {
      readonly asks: "run";
      readonly values: FlagValues<Table>;
      readonly settings: Settings;
      /** The words that are no flags, wherever they stand. */
      readonly operands: readonly string[];
    }
  | { readonly asks: "nothing"; readonly result: CommandResult };

/** Reads what follows after the name of a sub-command. Flags whose values cannot work stop nothing here: see `settings.problems`. */
export function readSubCommand<Table extends FlagTable>(
  argv: readonly string[],
  command: SubCommand<Table>,
  program: SidecarProgram,
): SubCommandLine<Table> {
  const usage = `Run ${program.name} ${command.name} --help for usage.`;
  const nothing = (code: ExitCode, stdout: string, problems: readonly string[]): SubCommandLine<Table> => ({
    asks: "nothing",
    result: { exitCode: code, stdout, stderr: problems.map((line) => `${line}\n`).join("") },
  });
  if (argv.some((word) => /^--?(h|help)$/.test(word)))
    return nothing(exitCode.clean, helpOf(command, program.name, commandLineOf(program)), []);
  try {
    const { values, rest } = takeFlags(argv, command.flags);
    const operands: string[] = [];
    const takeOperand = command.operands === undefined ? undefined : (word: string) => void operands.push(word);
    const commandLine = readCommandLine(commandLineOf(program), rest, takeOperand);
    if (commandLine.asks === "nothing") return nothing(exitCode.misuse, "", [commandLine.misuse, usage]);
    if (commandLine.asks === "help") return nothing(exitCode.clean, commandLine.text, []);
    const { settings } = commandLine;
    return settings.enabled.length > 0 ? { asks: "run", values, settings, operands } : nothing(exitCode.failure, "", settings.problems);
  } catch (error) {
    if (error instanceof Misuse) return nothing(exitCode.misuse, "", [error.message, usage]);
    throw error;
  }
}

/** What follows after the name of a sub-command that takes no other flags than its own. */
export type OwnFlags<Table extends FlagTable> =
  | { readonly asks: "run"; readonly values: FlagValues<Table>; readonly operands: readonly string[] }
  | { readonly asks: "nothing"; readonly result: CommandResult };

/** Reads a sub-command that takes none of the program's flags. */
export function readOwnFlags<Table extends FlagTable>(
  argv: readonly string[],
  command: SubCommand<Table>,
  program: string,
): OwnFlags<Table> {
  const nothing = (code: ExitCode, stdout: string, stderr: string): OwnFlags<Table> => ({
    asks: "nothing",
    result: { exitCode: code, stdout, stderr },
  });
  if (argv.some((word) => /^--?(h|help)$/.test(word))) return nothing(exitCode.clean, helpOf(command, program), "");
  try {
    const { values, rest } = takeFlags(argv, command.flags);
    const unknown = rest.find((word) => word.startsWith("-"));
    if (unknown !== undefined) throw new Misuse(`unknown flag: ${unknown}`);
    return { asks: "run", values, operands: rest };
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    return nothing(exitCode.misuse, "", `${error.message}\nRun ${program} ${command.name} --help for usage.\n`);
  }
}

/**
 * Takes the flags of a sub-command out of a command line; the rest is the program's own. Throws `Misuse` where they cannot be
 * understood.
 */
function takeFlags<Table extends FlagTable>(
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
    const value = attached ?? ownValue(table, name)?.whenBare ?? argv[++at];
    if (value === undefined) throw new Misuse(`flag needs an argument: --${spelling}`);
    const texts = given.get(name) ?? new Map<string, string[]>();
    texts.set(spelling, [...(texts.get(spelling) ?? []), value]);
    given.set(name, texts);
  }
  const values = Object.entries(table).map(([name, flag]) => {
    const reading = read(flag, given.get(name) ?? new Map());
    const value = reading === undefined ? flag.initial : reading.value;
    const problem = refusal(flag, value, reading?.spelling ?? name);
    if (problem !== undefined) throw new Misuse(problem);
    return [camelCase(name), value];
  });
  return { values: Object.fromEntries(values) as FlagValues<Table>, rest };
}

function helpOf(command: SubCommand<FlagTable>, program: string, whole?: Program): string {
  const { name, operands, flags, examples = [], uses = [], help } = command;
  const offered = whole ? processFlagsIn(whole) : {};
  const used = Object.fromEntries(uses.flatMap((flag) => (offered[flag] ? [[flag, offered[flag]] as const] : [])));
  const sections = [
    `Usage: ${program} ${name}${operands === undefined ? "" : ` ${operands}`} [flags]${whole ? ` [flags of ${program}]` : ""}`,
    help(program),
    titled(
      "Examples",
      examples.map((example) => `  ${program} ${example}`),
    ),
    titled("Flags", entriesOf(flags)),
    titled(`Flags of ${program} that matter here (${program} --help shows all)`, entriesOf(used)),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

const titled = (title: string, lines: readonly string[]) => (lines.length > 0 ? `${title}:\n${lines.join("\n")}` : "");

function entriesOf(flags: FlagTable): readonly string[] {
  return Object.entries(flags).map(([flag, { aliases = [], type, initial, format, help: text }]) => {
    const spellings = [`--${flag}`, ...aliases.map((alias) => (alias.length === 1 ? `-${alias}` : `--${alias}`))].join(", ");
    const value = format(initial);
    return `  ${spellings} ${type}${value === "" ? "" : ` (default ${value})`}\n        ${text}`;
  });
}
