import { Code, GrpcError } from "@csi-sidecars/csi";

/**
 * How a node expansion failed, as far as a kubelet tells it apart.
 *
 * - `infeasible`: the driver will never do it. The resizer turns to the size that the claim asks for then.
 * - `in-use`: not while the volume is mounted. It is not tried again before the volume was unmounted.
 * - `unsupported`: the driver has no EXPAND_VOLUME on nodes.
 * - `unregistered`: there is no driver on the node at the moment, and it was not called.
 * - `failed`: everything else, also an answer that never came.
 */
export interface NodeExpansionFailure {
  readonly result: "infeasible" | "in-use" | "unsupported" | "unregistered" | "failed";
  readonly message: string;
}

const infeasible: ReadonlySet<number> = new Set([Code.InvalidArgument, Code.OutOfRange, Code.NotFound]);

/** The failure of a NodeExpandVolume call, in kubelet's words. */
export function failureOfCall(error: unknown): NodeExpansionFailure {
  const code = error instanceof GrpcError ? error.code : undefined;
  const text = error instanceof Error ? error.message : String(error);
  const failed = "Expander.NodeExpand failed to expand the volume";
  if (code !== undefined && infeasible.has(code)) return { result: "infeasible", message: `${failed} ${text}` };
  return { result: code === Code.FailedPrecondition ? "in-use" : "failed", message: `${failed} : ${text}` };
}
