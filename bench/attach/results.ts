import { emptyResults, presentResults } from "../shared/idle-results.ts";
import type { IdleCost } from "../shared/measure-idle.ts";
import { operationResults, relativeTo } from "../shared/operation-results.ts";
import { columnOf, megabytes, type Result, thousands } from "../shared/result.ts";
import type { AttachDetachCost } from "./measure-attach-detach.ts";

/** The numbers to reach, derived from upstream's attacher on the machine the budgets were set on. */
const budgets = {
  /** Without events and leases. */
  requests: { attach: 3, detach: 1 },
  csiCalls: 1,
  refused: 0,
  /** With default flags; an attacher alone cannot beat upstream's; one in the same process as the provisioner of the volumes can. */
  limited: {
    attach: { perSecond: 1.7, requests: 3 },
    detach: { perSecond: 5, requests: 1 },
    attachBeside: { perSecond: 2.4, requests: 2 },
  },
  /** As a fraction of what upstream's attacher reaches in the same run. */
  relative: { perSecond: 1, cpu: 0.5 },
} as const;

/** What was measured of one subject, each over several processes. */
export interface Measured {
  readonly subject: string;
  readonly ours: boolean;
  readonly empty: readonly IdleCost[];
  readonly unlimited: readonly AttachDetachCost[];
  readonly present: readonly IdleCost[];
  readonly limited: readonly AttachDetachCost[];
  /** With volumes that the provisioner in the same process has made. */
  readonly beside: readonly AttachDetachCost[];
}

/** How many volumes each measurement had. */
export interface Sizes {
  readonly volumes: number;
  readonly limitedVolumes: number;
  readonly present: number;
}

type OperationName = "attach" | "detach";

/** The measurements with their budgets. Budgets relative to `peer` are left out without one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, { volumes, limitedVolumes, present }: Sizes): readonly Result[] {
  const column = columnOf(measured.ours);
  const { csiCalls, refused } = budgets;
  const withoutLimit = (name: OperationName) => {
    const costs = (samples: readonly AttachDetachCost[]) => samples.map((sample) => sample[name]);
    const relative = relativeTo(costs(peer?.unlimited ?? []), budgets.relative);
    const budget = { ...relative, requests: budgets.requests[name], csiCalls, refused };
    return operationResults(column, costs(measured.unlimited), `${name} ${thousands(volumes)}`, budget);
  };
  const limited = (
    samples: readonly AttachDetachCost[],
    label: string,
    name: OperationName,
    limit: { perSecond: number; requests: number },
  ) =>
    operationResults(
      column,
      samples.map((sample) => sample[name]),
      `default flags, ${name} ${limitedVolumes}${label}`,
      { ...limit, cpuMs: undefined, csiCalls, refused },
    );
  return [
    ...emptyResults(column, measured.empty),
    ...withoutLimit("attach"),
    ...column(measured.unlimited, `RSS, after attaching ${thousands(volumes)}`, "MB", ({ attachedRss }) => megabytes(attachedRss)),
    ...withoutLimit("detach"),
    ...presentResults(column, measured.present, present, "attached volumes"),
    ...limited(measured.limited, "", "attach", budgets.limited.attach),
    ...limited(measured.limited, "", "detach", budgets.limited.detach),
    ...limited(measured.beside, " made beside it", "attach", budgets.limited.attachBeside),
  ];
}
