import { messageOf } from "@csi-sidecars/base";
import { Code, classifyFailure, GrpcError } from "@csi-sidecars/csi";
import { messages } from "../messages.ts";

/** The largest number that CSI and Kubernetes can say: a driver that says it does not mean a size. */
const limit = 2n ** 63n - 1n;

/** What is wrong with the capacity that the driver says a volume has now; more than what was asked for is right. */
export function checkCapacity(answered: bigint, asked: bigint): string | undefined {
  if (answered <= 0n || answered < asked) return messages.answeredTooLittle(answered, asked);
  return answered >= limit ? messages.answeredTooMuch(answered, asked) : undefined;
}

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

/** What a call that failed says about the volume. */
export function classifyExpandFailure(error: unknown): ExpandFailure {
  const failure = classifyFailure("expand", error);
  const message = messageOf(error);
  if (failure.kind !== "final") return { kind: failure.kind, message };
  const inUse = error instanceof GrpcError && error.code === Code.FailedPrecondition;
  return { kind: "final", message, infeasible: failure.infeasible, inUse };
}
