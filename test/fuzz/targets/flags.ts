import { goQuote } from "@csi-sidecars/base";
import { chooseProgram } from "../../../cmd/csi-sidecars/choose-program.ts";
import { components } from "../../../cmd/csi-sidecars/components.ts";
import { camelCase, type FlagTable } from "../../../packages/host/flags/flag.ts";
import { componentsOf, type Program } from "../../../packages/host/flags/program.ts";
import { readCommandLine } from "../../../packages/host/flags/read-command-line.ts";
import type { Settings } from "../../../packages/host/flags/resolve.ts";
import { canonical, flagsIn, processFlagsIn, spellingsOf } from "../../../packages/host/flags/spellings.ts";
import { commandLineOf } from "../../../packages/host/program/sidecar-program.ts";
import type { Random } from "../engine/random.ts";
import { expectSame, Finding, type Target } from "../engine/target.ts";

const programs = ["csi-sidecars", ...components.map(({ standalone }) => standalone)] as [string, ...string[]];
const programOf = (name: string) => commandLineOf(chooseProgram(name, []).program);
const spellings = new Map(programs.map((name) => [name, [...spellingsOf(programOf(name))] as const]));

/** A command line as words that end in a NUL, the name of the program first. */
export const flags: Target = {
  name: "flags",
  about: "the command line of each program: settings, help, or an error of one line that names the argument",
  tokens: [
    "\0",
    "\0--",
    "\0-",
    "=",
    ",",
    "-",
    "true",
    "-1",
    "1e400",
    "0x",
    "1_000",
    "9".repeat(25),
    "1h",
    "99999999h",
    "1Ki",
    "\n",
    "\0--help",
    "\0-v5",
    "\0--controllers=",
    "\0--feature-gates=constructor=true",
    "__proto__",
    "constructor",
    "\xc3\xa9",
  ],
  generate: (random) => Buffer.from(commandLine(random).join("\0")),
  open: () => ({
    check(input) {
      const [name = "", ...argv] = Buffer.from(input).toString().split("\0");
      check(programs.includes(name) ? name : programs[0], argv);
    },
  }),
};

function commandLine(random: Random): readonly string[] {
  const name = random.pick(programs);
  const known = spellings.get(name) ?? [];
  const words = random.several(5, () => {
    const [spelling = "v", meaning] = known[random.below(known.length)] ?? [];
    const dashes = random.pick(["--", "--", "--", "-"]);
    if (meaning?.whenBare !== undefined && random.chance(0.7)) return [`${dashes}${spelling}`];
    return random.chance(0.8) ? [`${dashes}${spelling}=${value(random)}`] : [`${dashes}${spelling}`, value(random)];
  });
  return [name, ...words.flat()];
}

function value(random: Random): string {
  const number = random.pick([`${random.number()}`, `-${random.number()}`, `${random.below(1e6) / 1e3}`, "9".repeat(25), "0x1f"]);
  const unit = () => random.pick(["", "ns", "us", "ms", "s", "m", "h", "k", "Mi"]);
  const words = ["", "true", "a", "/csi/csi.sock", "a,b", "A=true", "a:b", "a=5", "*", "attacher", "-attacher,*", "1h30m"] as const;
  return random.chance(0.5) ? `${number}${unit()}` : random.pick(words);
}

function check(name: string, argv: readonly string[]): void {
  const program = programOf(name);
  const read = readCommandLine(program, argv);
  if (read.asks === "help") {
    if (!argv.some((word) => /^--?(h|help)(=|$)/s.test(word))) throw new Finding("help that nobody asked for");
  } else if (read.asks === "nothing") {
    if (!argv.some((word) => names(read.misuse, word))) throw new Finding(`the message names no argument: ${read.misuse}`);
  } else {
    for (const problem of read.settings.problems) {
      if (!namesFlag(problem, argv)) throw new Finding(`the message names no flag: ${problem}`);
    }
    readAgain(program, read.settings);
  }
}

/** Whether a message names any flag, or one that was given as upstream does, without dashes. */
function namesFlag(message: string, argv: readonly string[]): boolean {
  if (/(^|\W)-?-[a-z]|controllers/.test(message)) return true;
  const given = argv.map((word) => /^--?([a-z]+(-[a-z]+)+)/.exec(word)?.[1]);
  return given.some((flag) => flag !== undefined && message.includes(flag));
}

/** Whether a message names the flag of a word, or quotes the word. */
function names(message: string, word: string): boolean {
  const [, flag = ""] = /^-(v)\d+$/.exec(word) ?? /^--?([^=]*)/.exec(word) ?? [];
  return (flag !== "" && message.includes(`--${flag}`)) || message.includes(word) || message.includes(goQuote(word));
}

/** The values of a command line, written as they are shown to users, make the same settings. */
function readAgain(program: Program, settings: Settings): void {
  const given = settingsOf(program, settings);
  if (settings.enabled.length === 0) return;
  const again = readCommandLine(
    program,
    given.map(([spelling, shown]) => `--${spelling}=${shown}`),
  );
  if (again.asks !== "run") throw new Finding(`what is shown of a command line is not read: ${JSON.stringify([given, again])}`);
  expectSame("what is shown of a command line is read differently", settingsOf(program, again.settings), given);
}

/** Each flag that was given, under its canonical name, with its value as it is shown. */
function settingsOf(program: Program, settings: Settings): readonly (readonly [spelling: string, shown: string])[] {
  const process = shownOf(processFlagsIn(program), settings.process, (name) => name);
  const own = componentsOf(program)
    .filter(({ name }) => settings.enabled.includes(name))
    .flatMap((component) =>
      shownOf(flagsIn(program.form, component), settings.of(component), (name) => canonical(program.form, component.name, name)),
    );
  return [...process, ...own].filter(([spelling]) => settings.setBy(spelling) !== undefined);
}

function shownOf(table: FlagTable, values: object, spelled: (name: string) => string): (readonly [string, string])[] {
  const byName = new Map(Object.entries(values));
  return Object.entries(table).map(([name, flag]) => [spelled(name), flag.format(byName.get(camelCase(name)))] as const);
}
