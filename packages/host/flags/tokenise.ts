import { goQuote } from "@csi-sidecars/base";
import { Misuse } from "./exit-code.ts";
import type { Spellings } from "./spellings.ts";
import { suggest } from "./suggest.ts";

/** A flag found on the command line, as it was spelled there. */
export interface Occurrence {
  readonly spelling: string;
  readonly value: string;
}

/** The tokens of a command line: the flags in their order, or the request for help. */
export interface Tokens {
  readonly help: boolean;
  readonly occurrences: readonly Occurrence[];
}

/** What is done about words that are no known flags. */
export interface Unknowns {
  /** Told of each unknown flag, with the word after it if that may be its value; without it they are errors. */
  skip?(words: readonly string[]): void;
  /** Where such a flag belongs, for the error. */
  elsewhere?(name: string): string | undefined;
  /** Takes a word that is no flag; without it one is an error. */
  operand?(word: string): void;
}

/**
 * Splits a command line into flags. One dash is as good as two; a value follows after `=` or as the next word, for booleans only after
 * `=`; `-v5` is `--v=5`. Words that are not flags are errors, unless `operand` takes them: upstream ignores them, and all flags after them too. So are
 * flags that are not known, unless they are skipped.
 */
export function tokenise(argv: readonly string[], spellings: Spellings, { skip, elsewhere, operand }: Unknowns = {}): Tokens {
  const occurrences: Occurrence[] = [];
  let help = false;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      if (argv[at + 1] !== undefined) throw unexpected(argv[at + 1] ?? "");
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      if (!operand) throw unexpected(word, occurrences.at(-1), spellings);
      operand(word);
      continue;
    }
    const { name, value } = split(word, spellings);
    if (name === "help" || name === "h") {
      help = true;
      continue;
    }
    const meaning = spellings.get(name);
    if (!meaning && !skip) throw unknown(name, spellings, elsewhere?.(name));
    if (!meaning) {
      const next = argv[at + 1];
      const detached = value === undefined && next !== undefined && !next.startsWith("-");
      skip?.(detached ? [word, argv[++at] ?? ""] : [word]);
      continue;
    }
    if (value !== undefined) occurrences.push({ spelling: name, value });
    else if (meaning.whenBare !== undefined) occurrences.push({ spelling: name, value: meaning.whenBare });
    else if (at + 1 < argv.length) occurrences.push({ spelling: name, value: argv[++at] ?? "" });
    else throw new Misuse(`flag needs an argument: --${name}`);
  }
  return { help, occurrences };
}

function split(word: string, spellings: Spellings): { name: string; value?: string } {
  const [, name = "", value] = /^--?([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (name === "" || name.startsWith("-")) throw new Misuse(`bad flag syntax: ${word}`);
  const attached = /^-v([0-9]+)$/.exec(word)?.[1];
  if (attached !== undefined && spellings.has("v") && !spellings.has(name)) return { name: "v", value: attached };
  return { name, value };
}

function unexpected(word: string, before?: Occurrence, spellings?: Spellings): Misuse {
  const message = `unexpected argument ${goQuote(word)}`;
  if (!before || spellings?.get(before.spelling)?.whenBare !== before.value) return new Misuse(message);
  return new Misuse(
    `${message} after --${before.spelling}: a boolean takes its value after an equals sign, as in --${before.spelling}=${word}`,
  );
}

function unknown(name: string, spellings: Spellings, elsewhere: string | undefined): Misuse {
  const meant = suggest(name, spellings.keys());
  const hint = elsewhere ?? (meant && `did you mean --${meant}?`);
  return new Misuse(hint ? `unknown flag: --${name} (${hint})` : `unknown flag: --${name}`);
}
