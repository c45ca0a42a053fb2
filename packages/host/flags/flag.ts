import { goQuote, ownValue } from "@csi-sidecars/base";

/** The value of a text from the command line, or what is wrong with it in words for the user. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const unparsable = (problem: string): Parsed<never> => ({ ok: false, problem });

/** What can be said about any flag beside its type, default and help text. */
export interface FlagOptions<T> {
  /**
   * The flag without prefix (`--worker-threads`) that sets this one for every component at once; without it the flag has its
   * own default. A component's `workers` may follow `worker-threads`: the names need not be equal.
   */
  readonly follows?: string;
  /** Further spellings in the all-in-one, prefixed and unprefixed like the name itself. */
  readonly aliases?: readonly string[];
  /** Why it should no longer be used, and what instead: said once when it is given. */
  readonly deprecated?: string;
  /** Accepted, but left out of `--help` and the documentation. */
  readonly hidden?: boolean;
  /** `false`: only the all-in-one has it, because upstream's own program does not. */
  readonly individual?: false;
  /** The default in the all-in-one, where upstream's is not what users want: nobody depends on the defaults of a new program. */
  readonly allInOne?: T;
  /** What is wrong with a value that could be parsed, to be said after the flag and its value. */
  check?(value: T): string | undefined;
}

/** One flag, as data: everything that parsing, `--help`, the documentation and the migration of old command lines need to know. */
export interface Flag<T> extends FlagOptions<T> {
  /** What kind of value it takes, in one word for `--help`. */
  readonly type: string;
  readonly initial: T;
  readonly help: string;
  /** The value meant by the flag alone. A flag without it needs a value. */
  readonly whenBare?: string;
  parse(text: string): Parsed<T>;
  format(value: T): string;
  /** How a repeated flag adds to what came before; without it the last one wins. */
  merge?(before: T, after: T): T;
}

/** Flags by their bare name, as upstream's program spells it. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** `retry-interval-start` → `retryIntervalStart`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** The typed values of a table, under the names in camel case; durations are milliseconds. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: Table[Name] extends Flag<infer T> ? T : never;
};

export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A component's value under a name that many components share; `undefined` where it has no such flag. */
export function numberAt(values: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = ownValue(values, name);
  return typeof value === "number" ? value : undefined;
}

/** Why a value is refused; `spelling` is the flag as it was typed, without dashes. */
export function refusal(flag: Flag<unknown>, value: unknown, spelling: string): string | undefined {
  const problem = flag.check?.(value);
  return problem === undefined ? undefined : `invalid value ${goQuote(flag.format(value))} for flag --${spelling}: ${problem}`;
}

/** The check of numbers and durations that must not be zero. */
export function aboveZero(value: number): string | undefined {
  return value > 0 ? undefined : "must be greater than zero";
}

/** The check of names of objects and namespaces; empty means the default. */
export function objectName(value: string): string | undefined {
  if (value === "" || /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value)) return undefined;
  return "a name has lower case letters, digits, dashes and dots only";
}

/** The check of paths of an HTTP server. */
export function urlPath(value: string): string | undefined {
  return value.startsWith("/") ? undefined : `a path begins with a slash: write /${value || "metrics"}`;
}

/** The check of numbers and durations that may be zero. */
export function notBelowZero(value: number): string | undefined {
  return value >= 0 ? undefined : "must not be negative";
}
