import { Code, GrpcError } from "@csi-sidecars/csi";
import type { PaceSign } from "./pace.ts";

/** How many failures in a row of the same volume are taken for signs of load. No answer is the better sign, so it is believed longer. */
const believedFailures: Readonly<Record<number, number>> = { [Code.ResourceExhausted]: 3, [Code.DeadlineExceeded]: 8, [Code.Aborted]: 8 };

/**
 * What an error says about the driver's load. Who hears again and again that there is no room, or nothing at all, at whatever pace,
 * waits for something else: that must not hold up the others.
 */
export function paceSignOf(error: unknown, failuresBefore: number): PaceSign {
  if (!(error instanceof GrpcError) || error.origin === "unsent") return "neither";
  return failuresBefore < (believedFailures[error.code] ?? 0) ? "overloaded" : "neither";
}
