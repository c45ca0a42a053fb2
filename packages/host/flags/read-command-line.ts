import { goQuote } from "@csi-sidecars/base";
import { Misuse } from "./exit-code.ts";
import { flagElsewhere } from "./flag-elsewhere.ts";
import { read, sortOccurrences } from "./given-values.ts";
import { helpText } from "./help.ts";
import { componentsOf, type Program } from "./program.ts";
import { resolve, type Settings } from "./resolve.ts";
import { selectControllers } from "./select-controllers.ts";
import { type Spellings, spellingsOf } from "./spellings.ts";
import { processFlags } from "./standard-flags.ts";
import { suggest } from "./suggest.ts";
import { type Occurrence, tokenise } from "./tokenise.ts";

/** What to do after reading the command line. */
export type CommandLine =
  | { readonly asks: "run"; readonly settings: Settings }
  /** Print to stdout, exit 0. */
  | { readonly asks: "help"; readonly text: string }
  /** Print to stderr, exit 2. */
  | { readonly asks: "nothing"; readonly misuse: string };

/**
 * Reads a command line for a program. Values that could be understood but cannot work are in `settings.problems`: the caller
 * first applies logging and answers `--version`, as upstream does. `operand` takes the words that are no flags, of a sub-command that has some.
 */
export function readCommandLine(program: Program, argv: readonly string[], operand?: (word: string) => void): CommandLine {
  const spellings = spellingsOf(program);
  try {
    if (!operand) checkFirstWord(program, argv);
    const { help, occurrences } = tokenise(argv, spellings, {
      elsewhere: (name) => flagElsewhere(program, name),
      ...(operand && { operand }),
    });
    if (help) return { asks: "help", text: helpText(program, effective(program, spellings, occurrences)) };
    return { asks: "run", settings: settle(program, spellings, occurrences) };
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    return argv.some(isHelp) ? { asks: "help", text: helpText(program) } : { asks: "nothing", misuse: error.message };
  }
}

function settle(program: Program, spellings: Spellings, occurrences: readonly Occurrence[]): Settings {
  if (program.form === "individual") return resolve(program, spellings, occurrences, [program.component.name]);
  const { controllers } = processFlags;
  const given = sortOccurrences(occurrences, onlyProcess(spellings), new Set()).process("controllers");
  const items = read(controllers, given)?.value ?? controllers.initial;
  const selection = selectControllers(items, program.components, program.separate);
  if (selection.ok) return resolve(program, spellings, occurrences, selection.enabled);
  const settings = resolve(program, spellings, occurrences, []);
  return { ...settings, warnings: [], problems: selection.problems };
}

function onlyProcess(spellings: Spellings): Spellings {
  return new Map([...spellings].filter(([, meaning]) => meaning.sets === "process"));
}

/** Help shows what a whole command line would do, but never fails because of it. */
function effective(program: Program, spellings: Spellings, occurrences: readonly Occurrence[]): Settings | undefined {
  try {
    return settle(program, spellings, occurrences);
  } catch (error) {
    if (error instanceof Misuse) return undefined;
    throw error;
  }
}

const isHelp = (word: string) => /^--?(h|help)$/.test(word);

/** Refuses a command line that begins with a word: one that the program knew would have been taken for a command before. */
function checkFirstWord(program: Program, [word = "-"]: readonly string[]): void {
  if (!word.startsWith("-")) throw new Misuse(`unexpected argument ${goQuote(word)}${hint(program, word)}`);
}

function hint(program: Program, word: string): string {
  const command = suggest(word, Object.keys(program.commands ?? {}));
  if (command !== undefined) return ` (did you mean the command ${command}?)`;
  const controller = componentsOf(program).find(({ name, aliases = [] }) => [name, ...aliases].includes(word));
  return controller && program.form === "all-in-one" ? ` (did you mean --controllers=${controller.name}?)` : "";
}
