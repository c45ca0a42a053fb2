import type { CapacityRange } from "@csi-sidecars/csi";
import { refuse } from "../refuse.ts";

/** What a capacity range asks for; 0 where it asks for nothing. */
export interface RequestedSize {
  readonly required: bigint;
  /** What a new volume gets: as much as it may have, when nothing else is said. */
  readonly size: bigint;
  readonly limit: bigint;
}

/** Reads a capacity range; refuses one that cannot be met. */
export function requestedSize(range: CapacityRange | undefined): RequestedSize {
  const { requiredBytes: required, limitBytes: limit } = range ?? { requiredBytes: 0n, limitBytes: 0n };
  if (required < 0n || limit < 0n) refuse("InvalidArgument", `capacity range must not be negative: required ${required}, limit ${limit}`);
  if (limit > 0n && required > limit) refuse("InvalidArgument", `capacity range: required ${required} is more than limit ${limit}`);
  return { required, size: required || limit, limit };
}
