import type { Given } from "./given.ts";
import { Misuse } from "./misuse.ts";
import type { Place, Spellings } from "./spellings.ts";
import type { Occurrence } from "./tokenise.ts";

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
