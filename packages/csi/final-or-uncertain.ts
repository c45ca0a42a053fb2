import { asError } from "@csi-sidecars/base";
import { Code, GrpcError } from "./grpc/status.ts";

/** The calls whose error codes are read differently. `publish` covers unpublishing too, `createSnapshot` group snapshots. */
export type Operation = "createVolume" | "publish" | "expand" | "modify" | "createSnapshot";

/**
 * A failed operation, by what may be assumed about the driver now.
 * - `final`: the driver answered; nothing is running. `infeasible`: the same request will not succeed, retry slowly.
 * - `uncertain`: the operation may be done or still running; keep finalizers and markers, and repeat the same call.
 * - `transient`: the driver never saw the call; what was known before still holds.
 */
export type Failure =
  | { readonly kind: "final"; readonly error: Error; readonly infeasible: boolean }
  | { readonly kind: "uncertain"; readonly error: Error }
  | { readonly kind: "transient"; readonly error: Error };

type CodeClass = "final" | "infeasible" | "uncertain";

const inProgress = {
  [Code.Canceled]: "uncertain",
  [Code.DeadlineExceeded]: "uncertain",
  [Code.Aborted]: "uncertain",
  [Code.Unavailable]: "uncertain",
} as const;

/** What a code sent by the driver means; codes that are not listed are final. */
const classes: Readonly<Record<Operation, Readonly<Record<number, CodeClass>>>> = {
  createVolume: { ...inProgress, [Code.InvalidArgument]: "infeasible" },
  publish: { ...inProgress, [Code.ResourceExhausted]: "uncertain" },
  expand: {
    ...inProgress,
    [Code.ResourceExhausted]: "uncertain",
    [Code.InvalidArgument]: "infeasible",
    [Code.OutOfRange]: "infeasible",
    [Code.NotFound]: "infeasible",
  },
  modify: { ...inProgress, [Code.ResourceExhausted]: "uncertain", [Code.InvalidArgument]: "infeasible" },
  createSnapshot: { ...inProgress, [Code.ResourceExhausted]: "uncertain" },
};

/**
 * Decides whether an error is final or uncertain. A code counts only if the driver sent it: one that this side made up (a reset
 * stream, an unreadable response) says nothing about what the driver did, and neither does an error that is not a gRPC status.
 */
export function classifyFailure(operation: Operation, thrown: unknown): Failure {
  const error = asError(thrown);
  if (!(error instanceof GrpcError) || error.origin === "transport") return { kind: "uncertain", error };
  if (error.origin === "unsent") return { kind: "transient", error };
  const found = classes[operation][error.code] ?? "final";
  return found === "uncertain" ? { kind: "uncertain", error } : { kind: "final", error, infeasible: found === "infeasible" };
}
