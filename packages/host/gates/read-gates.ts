import { type Fields, ownValue } from "@csi-sidecars/base";
import { componentsOf, type Program } from "../flags/program.ts";
import type { Settings } from "../flags/resolve.ts";
import { suggest } from "../flags/suggest.ts";
import { commandLineOf, type SidecarProgram } from "../program/sidecar-program.ts";
import { allInOneGates, type Gates, type GateTable, individualGates, joinGates, type Stage } from "./feature-gates.ts";

/** A line for the log. */
export interface GateWarning {
  readonly message: string;
  readonly fields: Fields;
}

/** The result of reading `--feature-gates`. */
export type GatesReading =
  | { readonly ok: true; readonly gates: Gates; readonly warnings: readonly GateWarning[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const wholeStages: ReadonlyMap<string, Stage> = new Map([
  ["AllAlpha", "alpha"],
  ["AllBeta", "beta"],
]);

/** Applies what the user asked for. `AllAlpha` and `AllBeta` set every gate of their stage that is not named itself, in any order. */
export function readGates(known: GateTable, requested: ReadonlyMap<string, boolean>): GatesReading {
  const problems = [...requested.keys()]
    .filter((name) => !Object.hasOwn(known, name) && !wholeStages.has(name))
    .map((name) => unrecognized(name, known));
  if (problems.length > 0) return { ok: false, problems };

  const byStage = new Map([...wholeStages].map(([name, stage]) => [stage, requested.get(name)]));
  const on = new Map(
    Object.entries(known).map(([name, { initial, stage }]) => [name, requested.get(name) ?? byStage.get(stage) ?? initial]),
  );
  const gates: Gates = {
    enabled(name) {
      const enabled = on.get(name);
      if (enabled === undefined) throw new Error(`feature gate ${name} is not declared`);
      return enabled;
    },
    explicit: (name) => requested.has(name),
  };
  return { ok: true, gates, warnings: gaWarnings(known, requested) };
}

function gaWarnings(known: GateTable, requested: ReadonlyMap<string, boolean>): readonly GateWarning[] {
  return [...requested]
    .filter(([name]) => ownValue(known, name)?.stage === "GA")
    .map(([feature, value]) => ({
      message: "Warning: setting GA feature gate. It will be removed in a future release.",
      fields: { feature, value },
    }));
}

function unrecognized(name: string, known: GateTable): string {
  const meant = suggest(name, Object.keys(known));
  return `--feature-gates: unrecognized feature gate: ${name}${meant ? ` (did you mean ${meant}?)` : ""}`;
}

/** All gates a program knows: its own and those of every component it can run, enabled or not. */
export function gatesOf(program: Program): GateTable {
  const own = program.form === "all-in-one" ? allInOneGates : individualGates;
  return joinGates([own, ...componentsOf(program).map(({ gates }) => gates ?? {})]);
}

/** The gates of a command line that is only inspected: where they are invalid, the defaults and what is wrong. */
export function tolerantGates(
  program: SidecarProgram,
  settings: Settings,
): { readonly gates: Gates; readonly problems: readonly string[] } {
  const known = gatesOf(commandLineOf(program));
  const asked = readGates(known, settings.process.featureGates);
  if (asked.ok) return { gates: asked.gates, problems: [] };
  const defaults: Gates = { enabled: (name) => ownValue(known, name)?.initial ?? false, explicit: () => false };
  return { gates: defaults, problems: asked.problems };
}
