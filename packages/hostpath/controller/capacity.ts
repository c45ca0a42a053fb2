import { ownValue } from "@csi-sidecars/base";
import type { CapacityRange, GetCapacityRequest } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { refuse } from "../refuse.ts";
import { isServed } from "../topology.ts";

/** GetCapacity: the free space of the pool that the parameter `kind` names; 0 for a topology that is not served. */
export function getCapacity(backend: Backend, { parameters, accessibleTopology }: GetCapacityRequest) {
  const { capacity, maxVolumeSize } = backend.settings;
  if (!isServed(backend.settings, accessibleTopology)) return { availableCapacity: 0n, maximumVolumeSize: 0n, minimumVolumeSize: 0n };
  if (Object.keys(capacity).length === 0) {
    return { availableCapacity: maxVolumeSize, maximumVolumeSize: maxVolumeSize, minimumVolumeSize: 0n };
  }
  const rest = available(backend, parameters.kind ?? "");
  return { availableCapacity: rest, maximumVolumeSize: rest < maxVolumeSize ? rest : maxVolumeSize, minimumVolumeSize: 0n };
}

/** Space reserved for a volume until it is in the state or its creation failed. */
interface Reservation {
  readonly kind: string;
  release(): void;
}

/** Reserves space in the pool that the parameters name, or in any that has enough. */
export function reserveSpace(backend: Backend, kind: string | undefined, size: bigint): Reservation {
  const { capacity } = backend.settings;
  const kinds = Object.keys(capacity);
  if (kinds.length === 0) {
    if (kind) refuse("InvalidArgument", `capacity tracking disabled, specifying kind ${JSON.stringify(kind)} is invalid`);
    return { kind: "", release() {} };
  }
  const chosen = kind || kinds.find((candidate) => available(backend, candidate) >= size);
  if (!chosen) return refuse("ResourceExhausted", `no capacity pool has room for ${size} bytes`);
  checkPool(backend, chosen, size);
  backend.reserved.add(chosen, size);
  return { kind: chosen, release: () => backend.reserved.add(chosen, -size) };
}

/** Refuses more than a pool has left. */
export function checkPool(backend: Backend, kind: string, more: bigint): void {
  const total = sizeOf(backend, kind);
  const used = backend.state.used.get(kind) + backend.reserved.get(kind);
  if (used + more > total) {
    refuse(
      "ResourceExhausted",
      `requested capacity ${more} exceeds remaining capacity for ${JSON.stringify(kind)}: ${used} out of ${total} already used`,
    );
  }
}

/** The free space of a pool. */
function available({ settings, state, reserved }: Backend, kind: string): bigint {
  const rest = sizeOf({ settings }, kind) - state.used.get(kind) - reserved.get(kind);
  return rest < 0n ? 0n : rest;
}

/** The kind comes from a StorageClass: `constructor` must not find a property of Object. */
function sizeOf({ settings: { capacity } }: Pick<Backend, "settings">, kind: string): bigint {
  return ownValue(capacity, kind) ?? 0n;
}

/** A capacity range; 0 means unset. */
interface RequestedSize {
  readonly required: bigint;
  /** The size of a new volume: the required bytes, or the limit if only that is set. */
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
