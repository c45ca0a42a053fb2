import { goQuote } from "../logging/go-quote.ts";
import type { Flag } from "./flag.ts";
import { Misuse } from "./misuse.ts";

/** What the command line says about one flag: the texts under each spelling, in their order. */
export type Given = ReadonlyMap<string, readonly string[]>;

/** A value and the spelling that set it. */
export interface Reading<T> {
  readonly value: T;
  readonly spelling: string;
}

/**
 * The value of a flag. A repeated spelling adds up or the last one wins; two different spellings must agree, because nobody can
 * tell which of them was meant.
 */
export function read<T>(flag: Flag<T>, given: Given): Reading<T> | undefined {
  let reading: Reading<T> | undefined;
  for (const [spelling, texts] of given) {
    const value = readTexts(flag, spelling, texts);
    if (reading && flag.format(reading.value) !== flag.format(value)) {
      const [one, other] = [flag.format(reading.value), flag.format(value)].map(goQuote);
      throw new Misuse(
        `--${reading.spelling} and --${spelling} are the same flag but have different values, ${one} and ${other}: give one of them`,
      );
    }
    reading ??= { value, spelling };
  }
  return reading;
}

function readTexts<T>(flag: Flag<T>, spelling: string, texts: readonly string[]): T {
  const values = texts.map((text) => {
    const result = flag.parse(text);
    if (!result.ok) throw new Misuse(`invalid value ${goQuote(text)} for flag --${spelling}: ${result.problem}`);
    return result.value;
  });
  return values.reduce((before, after) => (flag.merge ? flag.merge(before, after) : after));
}
