import { messageOf } from "@csi-sidecars/base";
import { Code, classifyFailure, GrpcError } from "@csi-sidecars/csi";

/** A volume that was not expanded, by what may be assumed about the driver now: see `Failure`. */
export type ExpandFailure =
  | {
      readonly kind: "final";
      readonly message: string;
      /** The same size will not be possible later either. */
      readonly infeasible: boolean;
      /** The driver does not expand a volume while it is in use. */
      readonly inUse: boolean;
    }
  | { readonly kind: "uncertain" | "transient"; readonly message: string };

export function classifyExpandFailure(error: unknown): ExpandFailure {
  const failure = classifyFailure("expand", error);
  const message = messageOf(error);
  if (failure.kind !== "final") return { kind: failure.kind, message };
  const inUse = error instanceof GrpcError && error.code === Code.FailedPrecondition;
  return { kind: "final", message, infeasible: failure.infeasible, inUse };
}
