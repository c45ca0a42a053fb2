import type { DriverCall } from "@csi-sidecars/testcluster";
import { volumeOf } from "../../../packages/testcluster/driver/call-log.ts";
import type { History } from "./history.ts";

/** The calls of the driver, and what happened beside them. */
export interface RecordedEvents extends Pick<History, "reasons" | "uses" | "outages"> {
  readonly calls: readonly DriverCall[];
  /** The claim that a volume was made for. */
  claimOf(volumeId: string): string;
}

export type Resizing = DriverCall<"ControllerExpandVolume" | "ControllerModifyVolume">;

export function isResizing(call: DriverCall): call is Resizing {
  return call.method === "ControllerExpandVolume" || call.method === "ControllerModifyVolume";
}

/** The size or the parameters that a call asks for. */
export function targetOf(call: Resizing): string {
  if (call.method === "ControllerExpandVolume") return String(call.request.capacityRange?.requiredBytes);
  return JSON.stringify(call.request.mutableParameters);
}

/** What happened to the claim and its volume around two calls. */
export function timeLine(recorded: RecordedEvents, earlier: Resizing, call: Resizing): string {
  const [from, to] = [earlier.startedAt - 10_000, call.startedAt + 1_000];
  const claim = recorded.claimOf(volumeOf(call) ?? "");
  const lines = [
    ...recorded.calls.filter(isResizing).flatMap((each): [number, string][] => {
      if (volumeOf(each) !== volumeOf(call)) return [];
      const { caller, method, startedAt, endedAt = Number.NaN, clientGoneAt = Number.NaN, outcome } = each;
      const end = outcome?.kind === "failed" ? `${outcome.code} ${outcome.message}` : outcome?.kind;
      return [
        [startedAt, `${caller}: ${method} ${targetOf(each)}`],
        [clientGoneAt, `${caller}: ${method} given up`],
        [endedAt, `${caller}: ${method} ${end}`],
      ];
    }),
    ...recorded.reasons
      .filter((reason) => (reason.claim ?? claim) === claim)
      .map(({ kind, from: begun, to: done }): [number, string] => [begun, `${kind}, for ${(done - begun).toFixed()} ms`]),
    ...recorded.uses
      .filter((use) => use.claim === claim)
      .flatMap((use): [number, string][] => [
        [use.from, "pod is there"],
        [use.to, "pod is deleted"],
      ]),
    ...recorded.outages.flatMap((outage): [number, string][] => [
      [outage.from, "API server away"],
      [outage.to, "API server back"],
    ]),
  ];
  return lines
    .filter(([at]) => at >= from && at <= to)
    .sort(([a], [b]) => a - b)
    .map(([at, what]) => `  ${at.toFixed().padStart(8)} ${what}`)
    .join("\n");
}
