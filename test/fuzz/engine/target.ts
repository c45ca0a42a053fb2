import type { Random } from "./random.ts";

/**
 * Something that reads input from outside. Each case is a sequence of bytes: it can be printed, made smaller and kept whatever it
 * stands for.
 */
export interface Target {
  readonly name: string;
  /** What is read, and what must hold for any input: for `--help`. */
  readonly about: string;
  /** Words of the input's language, which mutations insert. */
  readonly tokens: readonly [string, ...string[]];
  /** Inputs do not grow beyond this: enough to see that time or memory grows faster than the input. Default: 128 KiB. */
  readonly maxBytes?: number;
  /** A well-formed input; most cases are mutations of one. */
  generate(random: Random): Uint8Array;
  open(): Subject | Promise<Subject>;
}

/** A target that is ready to be tried, with the peers it needs. */
export interface Subject {
  /** Throws when something that must hold does not. */
  check(input: Uint8Array): void | Promise<void>;
  /** Whether an error that nobody handled is a defect of the runtime which this input is known to trigger. */
  isKnown?(stray: unknown, input: Uint8Array): boolean;
  close?(): void | Promise<void>;
}

/** What must hold for an input does not. */
export class Finding extends Error {
  override readonly name = "Finding";
}

/** A {@link Finding} unless both are equal, as JSON. */
export function expectSame(what: string, one: unknown, other: unknown): void {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  if (a !== b) throw new Finding(`${what}:\n    ${shorten(a)}\n    ${shorten(b)}`);
}

function shorten(text = "undefined"): string {
  return text.length > 500 ? `${text.slice(0, 500)}... (${text.length} characters)` : text;
}
