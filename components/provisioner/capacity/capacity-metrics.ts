import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import type { CapacityObject } from "./capacity-object.ts";
import { keyOfObject, type PairKey } from "./pair.ts";

export interface CapacityState {
  desired(): ReadonlyMap<PairKey, unknown>;
  objects(): readonly CapacityObject[];
}

/** How far the published objects are from the desired ones, counted when somebody looks. */
export function capacityCounts({ desired, objects }: CapacityState): {
  readonly goal: number;
  readonly current: number;
  readonly obsolete: number;
} {
  const all = objects();
  const wanted = desired();
  const found = new Set(all.map(keyOfObject).filter((key) => wanted.has(key)));
  return { goal: wanted.size, current: found.size, obsolete: all.length - found.size };
}

export function registerCapacityMetrics(registry: Registry, state: CapacityState): void {
  const gauges = {
    csistoragecapacities_desired_goal: ["goal", "Number of CSIStorageCapacity objects that there should be"],
    csistoragecapacities_desired_current: ["current", "Number of CSIStorageCapacity objects that there should be and that exist"],
    csistoragecapacities_obsolete: ["obsolete", "Number of CSIStorageCapacity objects that exist and will be deleted"],
  } as const;
  for (const [name, [count, help]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help: `[ALPHA] ${help}.`,
      registers: [registry],
      collect() {
        this.set(capacityCounts(state)[count]);
      },
    });
  }
}
