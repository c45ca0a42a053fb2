import { goQuote } from "../logging/go-quote.ts";
import { Misuse } from "./misuse.ts";
import { componentsOf, type Program } from "./program.ts";
import { suggest } from "./suggest.ts";

/** Refuses a command line that begins with a word: one that the program knew would have been taken for a command before. */
export function checkFirstWord(program: Program, [word = "-"]: readonly string[]): void {
  if (!word.startsWith("-")) throw new Misuse(`unexpected argument ${goQuote(word)}${hint(program, word)}`);
}

function hint(program: Program, word: string): string {
  const command = suggest(word, Object.keys(program.commands ?? {}));
  if (command !== undefined) return ` (did you mean the command ${command}?)`;
  const controller = componentsOf(program).find(({ name, aliases = [] }) => [name, ...aliases].includes(word));
  return controller && program.form === "all-in-one" ? ` (did you mean --controllers=${controller.name}?)` : "";
}
