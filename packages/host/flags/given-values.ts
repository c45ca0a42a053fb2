import { goQuote } from "@csi-sidecars/base";
import { Misuse } from "./exit-code.ts";
import type { Flag } from "./flag.ts";
import type { Place, Spellings } from "./spellings.ts";
import type { Occurrence } from "./tokenise.ts";

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

/** What was given, sorted by what it sets; and what was given for components that are not enabled. */
export interface Sorted {
  process(flag: string): Given;
  generic(flag: string): Given;
  component(place: Place): Given;
  readonly generics: readonly string[];
  /** The flags without effect, each with the components that have it. */
  readonly ignored: readonly Ignored[];
}

export interface Ignored {
  readonly spelling: string;
  readonly value: string;
  readonly places: readonly Place[];
}

/** Decides what each spelling stands for, now that it is known which components are enabled. */
export function sortOccurrences(occurrences: readonly Occurrence[], spellings: Spellings, enabled: ReadonlySet<string>): Sorted {
  const given = new Map<string, Map<string, string[]>>();
  const ignored: Ignored[] = [];
  const generics = new Set<string>();
  const put = (slot: string, { spelling, value }: Occurrence) => {
    const bySpelling = given.get(slot) ?? new Map<string, string[]>();
    given.set(slot, bySpelling.set(spelling, [...(bySpelling.get(spelling) ?? []), value]));
  };
  for (const occurrence of occurrences) {
    const meaning = spellings.get(occurrence.spelling);
    if (!meaning) continue;
    switch (meaning.sets) {
      case "generic":
        generics.add(meaning.flag);
        put(`generic ${meaning.flag}`, occurrence);
        break;
      case "process":
        put(`process ${meaning.flag}`, occurrence);
        break;
      case "component": {
        const candidates = meaning.places.filter(({ component }) => enabled.has(component));
        if (candidates.length > 1) throw ambiguous(occurrence.spelling, candidates);
        if (candidates[0]) put(slotOf(candidates[0]), occurrence);
        else ignored.push({ ...occurrence, places: meaning.places });
      }
    }
  }
  const nothing: Given = new Map();
  return {
    process: (flag) => given.get(`process ${flag}`) ?? nothing,
    generic: (flag) => given.get(`generic ${flag}`) ?? nothing,
    component: (place) => given.get(slotOf(place)) ?? nothing,
    generics: [...generics],
    ignored,
  };
}

const slotOf = ({ component, flag }: Place) => `component ${component} ${flag}`;

function ambiguous(spelling: string, places: readonly Place[]): Misuse {
  const names = places.map(({ component, flag }) => `--${component}-${flag}`);
  return new Misuse(`flag --${spelling} is ambiguous: use ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`);
}
