import { ownValue } from "@csi-sidecars/base";
import { type Flag, gatesOf, processFlags, type SidecarProgram } from "@csi-sidecars/host";
import { commandLineOf, readGates } from "@csi-sidecars/host/sub-commands";
import { hasUnknown } from "./container.ts";
import { holdersOf, type Merged, quoted } from "./flag-merge.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";

const flag: Flag<ReadonlyMap<string, boolean>> = processFlags["feature-gates"];

/** One list of feature gates: a gate means the same for all controllers that know it. */
export function mergeGates(sidecars: readonly LegacySidecar[], program: SidecarProgram): Merged {
  const known = gatesOf(commandLineOf(program));
  const holders = holdersOf(sidecars, "feature-gates");
  const merged = new Map<string, boolean>();
  const unknown: string[] = [];
  const warnings: string[] = [];
  for (const { sidecar, given } of holders) {
    for (const item of unknownIn(given.value)) {
      unknown.push(item);
      warnings.push(
        `--feature-gates of ${sidecar.name} has ${item}, which the manifest does not tell: it now applies to all controllers, and none of them starts with a gate that csi-sidecars does not know`,
      );
    }
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
  const text = [...(merged.size > 0 ? [flag.format(merged)] : []), ...new Set(unknown)].join(",");
  return { args: text === "" ? [] : [{ flag: "feature-gates", text, comments }], warnings };
}

const unknownIn = (text: string) => text.split(",").filter(hasUnknown);

function settingsIn(text: string): ReadonlyMap<string, boolean> {
  const told = text.split(",").filter((item) => !hasUnknown(item));
  const reading = flag.parse(told.join(","));
  return reading.ok ? reading.value : new Map();
}
