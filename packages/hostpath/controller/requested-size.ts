import type { CapacityRange } from "@csi-sidecars/csi";
import { refuse } from "../refuse.ts";

/** What a capacity range asks for; `size` is 0 when it asks for nothing. */
export interface RequestedSize {
  readonly size: bigint;
  readonly limit: bigint;
}

/** Reads a capacity range; refuses one that cannot be met. */
export function requestedSize(range: CapacityRange | undefined): RequestedSize {
  const { requiredBytes: least, limitBytes: limit } = range ?? { requiredBytes: 0n, limitBytes: 0n };
  if (least < 0n || limit < 0n) refuse("InvalidArgument", `capacity range must not be negative: required ${least}, limit ${limit}`);
  if (limit > 0n && least > limit) refuse("InvalidArgument", `capacity range: required ${least} is more than limit ${limit}`);
  return { size: least === 0n ? limit : least, limit };
}
