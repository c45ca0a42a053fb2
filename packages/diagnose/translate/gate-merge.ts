import { ownValue } from "@csi-sidecars/base";
import { type Flag, gatesOf, processFlags, type SidecarProgram } from "@csi-sidecars/host";
import { commandLineOf, readGates } from "@csi-sidecars/host/sub-commands";
import { holdersOf, type Merged, quoted } from "./flag-merge.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";

const flag: Flag<ReadonlyMap<string, boolean>> = processFlags["feature-gates"];

/** One list of feature gates: a gate means the same for all controllers that know it. */
export function mergeGates(sidecars: readonly LegacySidecar[], program: SidecarProgram): Merged {
  const known = gatesOf(commandLineOf(program));
  const holders = holdersOf(sidecars, "feature-gates");
  const merged = new Map<string, boolean>();
  const warnings: string[] = [];
  for (const { sidecar, given } of holders) {
    for (const [name, value] of settingsIn(given.value)) {
      const before = merged.get(name);
      if (!readGates(known, new Map([[name, value]])).ok)
        warnings.push(
          `feature gate ${name} of ${sidecar.name} is none of csi-sidecars: it is left out; what it enabled may be on for good, or gone`,
        );
      else if (before !== undefined && before !== value)
        warnings.push(
          `feature gate ${name} is ${value} in ${sidecar.name}, but ${before} in another sidecar: csi-sidecars has one value, ${before}`,
        );
      else merged.set(name, value);
    }
  }
  for (const [name, value] of merged) {
    const others = sidecars.filter(({ component, given }) => {
      const gate = ownValue(component.gates ?? {}, name);
      return gate && gate.initial !== value && !settingsIn(given.get("feature-gates")?.value ?? "").has(name);
    });
    if (others.length > 0)
      warnings.push(
        `feature gate ${name}=${value} now applies to ${others.map((sidecar) => sidecar.name).join(" and ")} too, where it was ${quoted(String(!value))}`,
      );
  }
  const comments = holders.flatMap(({ given }) => given.comments);
  return { args: merged.size > 0 ? [{ flag: "feature-gates", text: flag.format(merged), comments }] : [], warnings };
}

function settingsIn(text: string): ReadonlyMap<string, boolean> {
  const reading = flag.parse(text);
  return reading.ok ? reading.value : new Map();
}
