import type { CreateVolumeResponse } from "@csi-sidecars/csi";
import type { DriverCall } from "@csi-sidecars/testcluster";
import { overlapping, volumeOf, waitedUntil } from "../../packages/testcluster/driver/call-log.ts";
import { changesSomething } from "../../packages/testcluster/driver/methods.ts";
import { certainUntil, type LeaseChange } from "./lease-history.ts";
import type { Disturbance } from "./replica-disturbances.ts";

/** What was recorded of a run. */
export interface Recorded {
  readonly calls: readonly DriverCall[];
  readonly disturbances: readonly Disturbance[];
  readonly lease: readonly LeaseChange[];
}

/**
 * How late the driver and the relays in this process may notice, on a busy machine, what a replica has done. It is less than the second
 * that lies between the end of a leader's certainty and the first moment at which another candidate may take its lease.
 */
const noticeMs = 500;

/**
 * The calls of a replica that reached the driver when it was no longer certain to lead. A call that waited on a frozen connection does
 * not count: what was written while the replica led cannot be called back.
 */
export function lateCalls(recorded: Recorded): readonly string[] {
  return changing(recorded).flatMap((call) => {
    const { caller = "", startedAt } = call;
    const certain = certainUntil(recorded.lease, caller, startedAt);
    if (!isLate(recorded, call) || wasHeld(recorded, caller, ["driver frozen"], certain, startedAt)) return [];
    return [`${caller} called ${(startedAt - certain).toFixed()} ms too late\n${timeLine(recorded, call)}`];
  });
}

/**
 * Calls for one volume by two replicas of which the first was still waited for when the second began.
 *
 * A replica cancels its calls when it is no longer certain to lead, before another one may begin. It cannot do that while it is suspended
 * or while its connection to the driver is frozen, and no lease prevents it: the API server does not know of calls, and the driver not of
 * leases. Such an overlap does not count. It lasts at most as long as the driver takes for the call; CSI makes drivers cope with it, since
 * a sidecar that was killed and started again leaves the same behind.
 */
export function rivalCalls(recorded: Recorded): readonly string[] {
  return overlapping(recorded.calls).flatMap(([earlier, later]) => {
    const { caller = "" } = earlier;
    // Late calls are reported as such.
    if (caller === later.caller || isLate(recorded, later) || waitedUntil(earlier) - later.startedAt <= noticeMs) return [];
    const certain = certainUntil(recorded.lease, caller, later.startedAt);
    if (wasHeld(recorded, caller, ["driver frozen", "suspended"], certain, later.startedAt)) return [];
    return [`${earlier.method} of ${caller} overlaps ${later.method} of ${later.caller}\n${timeLine(recorded, earlier, later)}`];
  });
}

function isLate({ lease }: Recorded, { caller = "", startedAt }: DriverCall): boolean {
  return startedAt - certainUntil(lease, caller, startedAt) > noticeMs;
}

function changing({ calls }: Recorded): readonly DriverCall[] {
  return calls.filter((call) => changesSomething(call.method) && volumeOf(call) !== undefined);
}

function wasHeld({ disturbances }: Recorded, name: string, kinds: readonly Disturbance["kind"][], from: number, to: number): boolean {
  return disturbances.some(
    (each) => each.replica === name && kinds.includes(each.kind) && each.from < to && each.to + noticeMs > from - noticeMs,
  );
}

/** What happened to the volumes of a name, and around that, from the first call for one to the last. */
export function volumeTimeLine(recorded: Recorded, name: string): string {
  const ids = recorded.calls.flatMap(({ method, request, outcome }) =>
    method === "CreateVolume" && request.name === name && outcome?.kind === "answered" ? createdId(outcome.response) : [],
  );
  const volumes = new Set([`name ${name}`, ...ids]);
  const calls = changing(recorded).filter((call) => volumes.has(volumeOf(call) ?? ""));
  return `calls for ${name}\n${timeLine(recorded, ...calls)}`;
}

function createdId(response: object): string {
  return (response as CreateVolumeResponse).volume?.volumeId ?? "";
}

/** What happened around calls: to the lease, to the replicas, and to their volumes. */
function timeLine({ calls, disturbances, lease }: Recorded, ...about: readonly DriverCall[]): string {
  const volumes = new Set(about.map(volumeOf));
  const from = Math.min(...about.map(({ startedAt }) => startedAt)) - 10_000;
  const to = Math.max(...about.map(({ startedAt }) => startedAt)) + 5_000;
  const lines: (readonly [number, string])[] = [
    ...lease.map(({ seenAt, holder }) => [seenAt, `lease of ${holder || "nobody"} renewed`] as const),
    ...disturbances.flatMap(({ replica, kind, from: begin, to: end }) => [
      [begin, `${replica} ${kind}`] as const,
      [end, `${replica} no longer ${kind}`] as const,
    ]),
    ...calls
      .filter((call) => volumes.has(volumeOf(call)))
      .flatMap(({ order, method, caller, startedAt, endedAt, clientGoneAt }) => [
        [startedAt, `call ${order}: ${method} of ${caller}`] as const,
        [clientGoneAt ?? Number.NaN, `call ${order}: given up by ${caller}`] as const,
        [endedAt ?? Number.NaN, `call ${order}: ended`] as const,
      ]),
  ];
  return lines
    .filter(([at]) => at >= from && at <= to)
    .sort(([a], [b]) => a - b)
    .map(([at, what]) => `  ${at.toFixed().padStart(8)} ${what}`)
    .join("\n");
}
