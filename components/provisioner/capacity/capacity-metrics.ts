import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import type { WorkItemKey } from "./work-items.ts";

export interface CapacityState {
  desired(): ReadonlyMap<WorkItemKey, unknown>;
  /** Whether the item has an object. */
  published(key: WorkItemKey): boolean;
  /** All objects of this manager. */
  objects(): number;
}

export interface CapacityCounts {
  readonly goal: number;
  readonly current: number;
  readonly obsolete: number;
}

/** How many objects are desired, exist and are obsolete; counted when the metrics are read. */
function capacityCounts({ desired, published, objects }: CapacityState): CapacityCounts {
  const wanted = desired();
  let current = 0;
  for (const key of wanted.keys()) if (published(key)) current++;
  return { goal: wanted.size, current, obsolete: objects() - current };
}

export function registerCapacityMetrics(registry: Registry, state: CapacityState): void {
  const gauges = {
    csistoragecapacities_desired_goal: ["goal", "Number of CSIStorageCapacity objects that there should be"],
    csistoragecapacities_desired_current: ["current", "Number of CSIStorageCapacity objects that there should be and that exist"],
    csistoragecapacities_obsolete: ["obsolete", "Number of CSIStorageCapacity objects that exist and will be deleted"],
  } as const;
  let counts: CapacityCounts | undefined;
  /** All gauges are read in one go, and one count is enough for them. */
  const counted = () => {
    if (!counts) queueMicrotask(() => (counts = undefined));
    counts ??= capacityCounts(state);
    return counts;
  };
  for (const [name, [count, help]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help: `[ALPHA] ${help}.`,
      registers: [registry],
      collect() {
        this.set(counted()[count]);
      },
    });
  }
}
