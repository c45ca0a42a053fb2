import type { GetCapacityRequest } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { isServed } from "../topology.ts";
import { available } from "./pools.ts";

/** GetCapacity: what the pool of the class's kind has left; nothing where this driver makes no volumes. */
export function getCapacity(backend: Backend, { parameters, accessibleTopology }: GetCapacityRequest) {
  const { capacity, maxVolumeSize } = backend.settings;
  if (!isServed(backend.settings, accessibleTopology)) return { availableCapacity: 0n, maximumVolumeSize: 0n, minimumVolumeSize: 0n };
  if (Object.keys(capacity).length === 0) {
    return { availableCapacity: maxVolumeSize, maximumVolumeSize: maxVolumeSize, minimumVolumeSize: 0n };
  }
  const rest = available(backend, parameters.kind ?? "");
  return { availableCapacity: rest, maximumVolumeSize: rest < maxVolumeSize ? rest : maxVolumeSize, minimumVolumeSize: 0n };
}
