import type { Backend } from "../backend.ts";
import { refuse } from "../refuse.ts";

/** Space that a volume takes, held until it is in the state or its creation failed. */
export interface Reservation {
  readonly kind: string;
  release(): void;
}

/** Takes space from the pool that the parameters name, or from one with room. */
export function reserveSpace(backend: Backend, kind: string | undefined, size: bigint): Reservation {
  const { capacity } = backend.settings;
  const kinds = Object.keys(capacity);
  if (kinds.length === 0) {
    if (kind) refuse("InvalidArgument", `capacity tracking disabled, specifying kind ${JSON.stringify(kind)} is invalid`);
    return { kind: "", release() {} };
  }
  const chosen = kind || kinds.find((candidate) => available(backend, candidate) >= size);
  if (!chosen) return refuse("ResourceExhausted", `no capacity pool has room for ${size} bytes`);
  checkRoom(backend, chosen, size);
  backend.reserved.add(chosen, size);
  return { kind: chosen, release: () => backend.reserved.add(chosen, -size) };
}

/** Refuses what a pool has no room for. */
export function checkRoom(backend: Backend, kind: string, more: bigint): void {
  const total = sizeOf(backend, kind);
  const used = backend.state.used.get(kind) + backend.reserved.get(kind);
  if (used + more > total) {
    refuse(
      "ResourceExhausted",
      `requested capacity ${more} exceeds remaining capacity for ${JSON.stringify(kind)}: ${used} out of ${total} already used`,
    );
  }
}

/** What a pool has left. */
export function available({ settings, state, reserved }: Backend, kind: string): bigint {
  const rest = sizeOf({ settings }, kind) - state.used.get(kind) - reserved.get(kind);
  return rest < 0n ? 0n : rest;
}

/** The kind is what somebody typed into a class: `constructor` is none either. */
function sizeOf({ settings: { capacity } }: Pick<Backend, "settings">, kind: string): bigint {
  return Object.hasOwn(capacity, kind) ? (capacity[kind] ?? 0n) : 0n;
}
