import { emptyResults, presentResults } from "../shared/idle-results.ts";
import type { IdleCost } from "../shared/measure-idle.ts";
import type { OperationCost } from "../shared/measure-operation.ts";
import { type OperationBudget, operationResults, relativeTo } from "../shared/operation-results.ts";
import { atMost, columnOf, megabytes, type Result, thousands } from "../shared/result.ts";
import type { SnapshotCost } from "./measure-snapshots.ts";

/** The numbers to reach. */
const budgets = {
  /** Of a sidecar alone, and of a sidecar with its controller; without events and leases. */
  sidecar: { take: 3, delete: 2 },
  pair: { take: 9, delete: 9 },
  csiCalls: 1,
  refused: 0,
  /** Snapshots per second with default flags. */
  limitedPerSecond: 1.9,
  /** From a new content to CreateSnapshot, beside many contents. */
  firstCallMs: 1_000,
  /** As a fraction of what upstream's programs reach in the same run. */
  relative: { perSecond: 1, cpu: 0.5 },
} as const;

/** What was measured of one sidecar, each over several processes. */
export interface MeasuredSidecar {
  readonly subject: string;
  readonly ours: boolean;
  readonly empty: readonly IdleCost[];
  readonly unlimited: readonly SnapshotCost[];
  readonly limited: readonly SnapshotCost[];
  /** Started beside many contents. */
  readonly present: readonly IdleCost[];
  readonly firstCallMs: readonly number[];
}

/** What was measured of a sidecar with its controller. */
export interface MeasuredPair {
  /** The sidecar. */
  readonly subject: string;
  readonly ours: boolean;
  readonly costs: readonly SnapshotCost[];
}

/** How many snapshots each measurement had. */
export interface Sizes {
  readonly snapshots: number;
  readonly limitedSnapshots: number;
  readonly present: number;
}

const operations = ["take", "delete"] as const;
type OperationName = (typeof operations)[number];

/** The rows of a sidecar. Budgets relative to `peer` are left out without one. */
export function sidecarResults(measured: MeasuredSidecar, peer: MeasuredSidecar | undefined, sizes: Sizes): readonly Result[] {
  const column = columnOf(measured.ours);
  const rows = (samples: readonly SnapshotCost[], name: OperationName, label: string, speed: Speed) =>
    operationResults(column, costsOf(samples, name), label, budgetOf(budgets.sidecar[name], speed));
  return [
    ...emptyResults(column, measured.empty),
    ...operations.flatMap((name) =>
      rows(measured.unlimited, name, `${name} ${thousands(sizes.snapshots)}`, relativeTo(costsOf(peer?.unlimited, name), budgets.relative)),
    ),
    ...column(measured.unlimited, `RSS, ${thousands(sizes.snapshots)} snapshots taken`, "MB", ({ takenRss }) => megabytes(takenRss)),
    ...operations.flatMap((name) =>
      rows(measured.limited, name, `default flags, ${name} ${sizes.limitedSnapshots}`, {
        perSecond: name === "take" ? budgets.limitedPerSecond : undefined,
        cpuMs: undefined,
      }),
    ),
    ...presentResults(column, measured.present, sizes.present, "contents"),
    ...column(
      measured.firstCallMs,
      `from a content to CreateSnapshot, beside ${thousands(sizes.present)}`,
      "ms",
      (ms) => ms,
      atMost(budgets.firstCallMs),
    ),
  ];
}

/** The rows of a sidecar with its controller. */
export function pairResults(measured: MeasuredPair, peer: MeasuredPair | undefined, sizes: Sizes): readonly Result[] {
  const column = columnOf(measured.ours);
  return [
    ...operations.flatMap((name) => {
      const speed = relativeTo(costsOf(peer?.costs, name), budgets.relative);
      const label = `with the controller, ${name} ${thousands(sizes.snapshots)}`;
      return operationResults(column, costsOf(measured.costs, name), label, budgetOf(budgets.pair[name], speed));
    }),
    ...column(measured.costs, `RSS of both, ${thousands(sizes.snapshots)} snapshots taken`, "MB", ({ takenRss }) => megabytes(takenRss)),
  ];
}

type Speed = Pick<OperationBudget, "perSecond" | "cpuMs">;

function budgetOf(requests: number, speed: Speed): OperationBudget {
  return { ...speed, requests, csiCalls: budgets.csiCalls, refused: budgets.refused, withEvents: true };
}

function costsOf(samples: readonly SnapshotCost[] = [], name: OperationName): readonly OperationCost[] {
  return samples.map((sample) => sample[name]);
}
