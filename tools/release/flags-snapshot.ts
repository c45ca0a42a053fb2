import { componentsOf, type Flag, gatesOf, type Program } from "@csi-sidecars/host";
import { flagsIn, processFlagsIn, spellingsOf } from "../../packages/host/flags/spellings.ts";

/** What can be said by name, and what it is: comparable from release to release. */
export type Snapshot = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Every spelling of a flag that the programs take, with its type and default, and every feature gate. */
export function flagsSnapshot(programs: readonly Program[]): Snapshot {
  return Object.fromEntries(programs.map((program) => [program.name, { ...flagsOf(program), ...gates(program) }]));
}

function flagsOf(program: Program): Readonly<Record<string, string>> {
  const process = processFlagsIn(program);
  const tables = new Map(componentsOf(program).map((component) => [component.name, flagsIn(program.form, component)]));
  const lines = [...spellingsOf(program)].map(([spelling, meaning]) => {
    if (meaning.sets === "process")
      return [`--${spelling}`, describe(process[meaning.flag], spelling === meaning.flag ? undefined : meaning.flag)];
    if (meaning.sets === "generic") return [`--${spelling}`, `for every controller: ${meaning.flag}`];
    const [place, ...others] = meaning.places;
    if (!place || others.length > 0) return [`--${spelling}`, `of ${meaning.places.map(({ component }) => component).join(", ")}`];
    const full = program.form === "all-in-one" ? `${place.component}-${place.flag}` : place.flag;
    return [`--${spelling}`, describe(tables.get(place.component)?.[place.flag], spelling === full ? undefined : full)];
  });
  return Object.fromEntries(lines.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}

function describe(flag: Flag<unknown> | undefined, standsFor: string | undefined): string {
  if (!flag) throw new Error("a spelling without a flag");
  return standsFor === undefined ? `${flag.type}, ${JSON.stringify(flag.format(flag.initial))}` : `--${standsFor}`;
}

function gates(program: Program): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(gatesOf(program)).map(([name, { stage, initial }]) => [`gate ${name}`, `${stage}, ${initial ? "on" : "off"}`]),
  );
}
