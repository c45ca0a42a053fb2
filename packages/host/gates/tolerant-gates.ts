import type { Settings } from "../flags/resolve.ts";
import { commandLineOf, type SidecarProgram } from "../program/sidecar-program.ts";
import type { Gates } from "./gates.ts";
import { gatesOf } from "./program-gates.ts";
import { readGates } from "./read-gates.ts";

/** The gates of a command line that is only looked at: where they cannot be understood, the defaults and what is wrong. */
export function tolerantGates(
  program: SidecarProgram,
  settings: Settings,
): { readonly gates: Gates; readonly problems: readonly string[] } {
  const known = gatesOf(commandLineOf(program));
  const asked = readGates(known, settings.process.featureGates);
  if (asked.ok) return { gates: asked.gates, problems: [] };
  const defaults: Gates = { enabled: (name) => known[name]?.initial ?? false, explicit: () => false };
  return { gates: defaults, problems: asked.problems };
}
