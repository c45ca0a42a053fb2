import { ownValue } from "@csi-sidecars/base";
import type { Flag, FlagTable } from "./flag.ts";
import type { FlagOwner, Program } from "./program.ts";
import { everyComponentFlags, genericFlags, processFlags } from "./standard-flags.ts";

/** A flag of one component. */
export interface Place {
  readonly component: string;
  readonly flag: string;
}

/** What a spelling on the command line stands for. */
export type Meaning =
  | { readonly sets: "process"; readonly flag: string; readonly whenBare?: string }
  | { readonly sets: "generic"; readonly flag: string; readonly whenBare?: string }
  /** A name without prefix may stand for one of several places: the one whose component is enabled. */
  | { readonly sets: "component"; readonly places: readonly Place[]; readonly whenBare?: string };

/** All spellings a program understands. Mistakes in the tables (names that collide) are thrown when it is made. */
export type Spellings = ReadonlyMap<string, Meaning>;

export function spellingsOf(program: Program): Spellings {
  return program.form === "all-in-one" ? prefixedSpellings(program.components) : bareSpellings(program.component);
}

/** The flags a component has in a program of this form. */
export function flagsIn(form: Program["form"], component: FlagOwner): FlagTable {
  if (form === "all-in-one") return { ...allInOneFlags(component.flags), ...everyComponentFlags };
  return Object.fromEntries(Object.entries(component.flags).filter(([, flag]) => flag.individual !== false));
}

/** The flags with the defaults that they have in the all-in-one. */
function allInOneFlags(flags: FlagTable): FlagTable {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, initial: flag.allInOne ?? flag.initial }]));
}

/** The process-wide flags that can be given in a program. */
export function processFlagsIn(program: Program): FlagTable {
  if (program.form === "all-in-one") return processFlags;
  const own = flagsIn("individual", program.component);
  return Object.fromEntries(program.component.processFlags.filter((name) => !(name in own)).map((name) => [name, processFlags[name]]));
}

/** How a program of this form calls a component's flag. */
export function canonical(form: Program["form"], component: string, flag: string): string {
  return form === "all-in-one" ? `${component}-${flag}` : flag;
}

/** All names of a component's flag before a prefix is put in front of them, its own name first. */
export function bareNames(name: string, flag: Flag<unknown>): readonly string[] {
  const followed = flag.follows ? [flag.follows, ...(ownValue(genericFlags, flag.follows)?.aliases ?? [])] : [];
  return [...new Set([name, ...(flag.aliases ?? []), ...followed])];
}

function bareSpellings(component: FlagOwner): Spellings {
  const spellings = new Map<string, Meaning>();
  for (const [name, flag] of Object.entries(processFlagsIn({ form: "individual", name: component.name, component }))) {
    spellings.set(name, { sets: "process", flag: name, whenBare: flag.whenBare });
  }
  for (const [name, flag] of Object.entries(flagsIn("individual", component))) {
    spellings.set(name, { sets: "component", places: [{ component: component.name, flag: name }], whenBare: flag.whenBare });
  }
  return spellings;
}

function prefixedSpellings(components: readonly FlagOwner[]): Spellings {
  const spellings = new Map<string, Meaning>();
  const add = (spelling: string, meaning: Meaning) => {
    if (spellings.has(spelling)) throw new Error(`two flags are spelled --${spelling}`);
    spellings.set(spelling, meaning);
  };
  const flags = components.flatMap((component) =>
    Object.entries(flagsIn("all-in-one", component)).map(([name, flag]) => ({ component: component.name, name, flag })),
  );

  for (const [name, flag] of Object.entries<Flag<unknown>>(processFlags)) {
    for (const spelling of [name, ...(flag.aliases ?? [])]) add(spelling, { sets: "process", flag: name, whenBare: flag.whenBare });
  }
  for (const [name, generic] of Object.entries(genericFlags)) {
    const followers = flags.filter(({ flag }) => flag.follows === name);
    if (followers.length === 0) continue;
    const whenBare = common(name, followers);
    for (const spelling of [name, ...(generic.aliases ?? [])]) add(spelling, { sets: "generic", flag: name, whenBare });
  }
  const shared = new Set(spellings.keys());
  for (const { component, name, flag } of flags) {
    if (flag.follows && !shared.has(flag.follows))
      throw new Error(`--${component}-${name} follows --${flag.follows}, which is no generic flag`);
    const meaning: Meaning = { sets: "component", places: [{ component, flag: name }], whenBare: flag.whenBare };
    for (const spelling of bareNames(name, flag)) add(`${component}-${spelling}`, meaning);
  }
  const owners = Map.groupBy(
    flags.flatMap(({ component, name, flag }) => [name, ...(flag.aliases ?? [])].map((spelling) => ({ component, name, flag, spelling }))),
    ({ spelling }) => spelling,
  );
  for (const [spelling, places] of owners) {
    if (shared.has(spelling)) continue;
    add(spelling, {
      sets: "component",
      places: places.map(({ component, name }) => ({ component, flag: name })),
      whenBare: common(spelling, places),
    });
  }
  return spellings;
}

/** One spelling must be read in one way, whatever it turns out to stand for. */
function common(spelling: string, flags: readonly { readonly flag: Flag<unknown> }[]): string | undefined {
  const [first, ...others] = flags.map(({ flag }) => flag.whenBare);
  if (others.some((other) => other !== first)) throw new Error(`--${spelling} takes a value for some components only`);
  return first;
}
