import { formatBytes, messageOf, type Result } from "@csi-sidecars/base";
import { type ControllerExpandVolumeRequest, volumeCapability } from "@csi-sidecars/csi";
import { volumeSource } from "@csi-sidecars/translation";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Volume } from "../fields.ts";
import type { ResizerContext } from "../resizer-context.ts";
import { isUnreachable, readSecret, type VolumeSecretRef } from "../secrets.ts";
import { checkCapacity, classifyExpandFailure, type ExpandFailure } from "./expand-answer.ts";
import type { ExpandPlan } from "./plan-resize.ts";

/** A volume that is expanded. */
export interface Expansion {
  /** What it has now, as a quantity. */
  readonly capacity: string;
  /** Whether the node has yet to expand the file system. */
  readonly nodeExpansionRequired: boolean;
}

/** What a call of ControllerExpandVolume needs. Its secret is read right before it is made. */
export interface ExpandCall {
  readonly request: Omit<ControllerExpandVolumeRequest, "secrets">;
  readonly secret: VolumeSecretRef | undefined;
  /** Whether the volume is one of the in-tree plugin that the driver replaced, for the metrics. */
  readonly migrated: boolean;
}

/** The call that expands a volume, or why there can be none, in upstream's words. */
export function expandCall(volume: Volume, bytes: bigint, driver: Pick<DriverInfo, "singleNodeMultiWriter">): Result<ExpandCall> {
  const { name } = volume.metadata;
  const source = volumeSource(volume);
  if (!source) return { error: `volume ${name} is not migrated to CSI` };
  if (source.error !== undefined) return { error: `failed to translate persistent volume: ${source.error}` };
  const { csi, migrated } = source.value;
  if (csi.volumeHandle === "") return { error: "empty volume handle" };
  const capability = volumeCapability({ ...source.value, fsType: csi.fsType ?? "" }, driver);
  if (capability.error !== undefined) return { error: `failed to get capabilities of volume ${name} with ${capability.error}` };
  const request = {
    volumeId: csi.volumeHandle,
    capacityRange: { requiredBytes: bytes, limitBytes: 0n },
    volumeCapability: capability.value,
  };
  return { value: { request, secret: csi.controllerExpandSecretRef, migrated } };
}

type CallContext = Pick<ResizerContext, "csiController" | "kube" | "timeoutMs" | "log" | "driver">;

export type ExpandOutcome =
  | { readonly expansion: Expansion; readonly failure?: undefined }
  | { readonly expansion?: undefined; readonly failure: ExpandFailure };

/** Expands a volume. Where the node does that alone, there is nobody to call. Throws where the API server cannot be reached. */
export async function expandVolume(c: CallContext, volume: Volume, plan: ExpandPlan, signal: AbortSignal): Promise<ExpandOutcome> {
  if (c.driver.expansion === "node") return { expansion: { capacity: plan.size, nodeExpansionRequired: true } };
  const call = expandCall(volume, plan.bytes, c.driver);
  if (call.error !== undefined) return notCalled(new Error(call.error));
  const { request, secret, migrated } = call.value;
  const { timeoutMs, log } = c;
  let secrets: Readonly<Record<string, string>>;
  try {
    secrets = await readSecret(c, secret, signal);
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return notCalled(error);
  }
  try {
    const answer = await c.csiController.controllerExpandVolume({ ...request, secrets }, { timeoutMs, signal, log, migrated });
    const problem = checkCapacity(answer.capacityBytes, plan.bytes);
    if (problem !== undefined) return { failure: { kind: "final", infeasible: false, inUse: false, message: problem } };
    return { expansion: { capacity: formatBytes(answer.capacityBytes), nodeExpansionRequired: answer.nodeExpansionRequired } };
  } catch (error) {
    return { failure: classifyExpandFailure(error) };
  }
}

/** The driver was not even asked: what was known of it before still holds. */
function notCalled(error: unknown): ExpandOutcome {
  return { failure: { kind: "transient", message: messageOf(error) } };
}
