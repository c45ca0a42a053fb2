import { ownValue } from "@csi-sidecars/base";
import { camelCase, type Flag, type FlagTable, type FlagValues } from "./flag.ts";
import type { FlagOwner } from "./program.ts";
import { flagsIn, processFlagsIn, spellingsOf } from "./spellings.ts";
import { tokenise } from "./tokenise.ts";

/** The command line of an individual program, word for word. */
export interface GivenFlags {
  /** By the flag's name; the texts of a repeated flag in their order. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** What no flag of the program explains: each flag with the word after it that may be its value. */
  readonly unknown: readonly (readonly string[])[];
}

/** All flags that upstream's program of a component has, by their names. */
export function individualFlags(component: FlagOwner): { readonly own: FlagTable; readonly process: FlagTable } {
  const program = { form: "individual", name: component.name, component } as const;
  return { own: flagsIn("individual", component), process: processFlagsIn(program) };
}

/** Takes a command line of upstream's program apart, without judging the values. Throws `Misuse` where it is none. */
export function givenFlags(component: FlagOwner, argv: readonly string[]): GivenFlags {
  const texts = new Map<string, string[]>();
  const unknown: (readonly string[])[] = [];
  const spellings = spellingsOf({ form: "individual", name: component.name, component });
  for (const { spelling, value } of tokenise(argv, spellings, { skip: (words) => void unknown.push(words) }).occurrences) {
    texts.set(spelling, [...(texts.get(spelling) ?? []), value]);
  }
  return { texts, unknown };
}

/** A flag of the all-in-one that sets a flag of some components at once, with those flags. */
export interface Fan {
  readonly name: string;
  readonly flags: readonly { readonly component: FlagOwner; readonly name: string; readonly flag: Flag<unknown> }[];
}

/** The flags of components, in the all-in-one, that follow a flag without prefix, by its name. */
export function fans(components: readonly FlagOwner[], order: readonly string[]): readonly Fan[] {
  const flags = components.flatMap((component) =>
    Object.entries(flagsIn("all-in-one", component)).map(([name, flag]) => ({ component, name, flag })),
  );
  return order.map((name) => ({ name, flags: flags.filter(({ flag }) => flag.follows === name) })).filter((fan) => fan.flags.length > 0);
}

/** The texts as one value in the flag's own notation, or what is wrong with them. */
export function normalForm(flag: Flag<unknown>, texts: readonly string[]): { readonly value: string } | { readonly problem: string } {
  let value: unknown;
  for (const [at, text] of texts.entries()) {
    const next = flag.parse(text);
    if (!next.ok) return { problem: next.problem };
    value = at > 0 && flag.merge ? flag.merge(value, next.value) : next.value;
  }
  return { value: flag.format(value) };
}

/** A flag of an individual program, whichever table it is in. */
export function individualFlag(component: FlagOwner, name: string): Flag<unknown> | undefined {
  const { own, process } = individualFlags(component);
  return ownValue(own, name) ?? ownValue(process, name);
}

/** The values of a component's own flags in its individual program, from the texts of those that are given; one that cannot be read counts as absent. */
export function individualValues<Table extends FlagTable>(
  component: FlagOwner<Table>,
  texts: ReadonlyMap<string, string>,
): FlagValues<Table> {
  const values = Object.entries(individualFlags(component).own).map(([name, flag]) => {
    const text = texts.get(name);
    const reading = text === undefined ? undefined : flag.parse(text);
    return [camelCase(name), reading?.ok ? reading.value : flag.initial];
  });
  return Object.fromEntries(values) as FlagValues<Table>;
}
