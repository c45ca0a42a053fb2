import { asError, type Result } from "@csi-sidecars/base";
import { apiCallOptions, loadSignal } from "@csi-sidecars/controller";
import { Code, type CreateVolumeResponse, classifyFailure, GrpcError } from "@csi-sidecars/csi";
import { keyOf, type V1PersistentVolume } from "@csi-sidecars/kube";
import { volumeToInTree } from "@csi-sidecars/translation";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { provisionerSecrets } from "../secrets.ts";
import { reschedulesForCode } from "../topology/selected-node.ts";
import { type CreatedVolume, checkResponse } from "./check-response.ts";
import { cleanupVolume } from "./cleanup-volume.ts";
import { persistentVolume } from "./persistent-volume.ts";
import type { CreateFailure, CreateOutcome, ProvisionRequest } from "./provision-request.ts";

/** Calls CreateVolume, and deletes a volume that is not what was asked for. */
export async function createVolume(c: ProvisionerContext, request: ProvisionRequest, signal: AbortSignal): Promise<CreateOutcome> {
  let secrets: Record<string, string>;
  try {
    secrets = await provisionerSecrets(c.kube, request.secrets, apiCallOptions(signal));
  } catch (error) {
    return { kind: "unchanged", error: asError(error) };
  }
  const options = { timeoutMs: c.settings.timeoutMs, signal, migrated: request.migrated, claim: keyOf(request.claim) };
  const { claims } = c.concurrency;
  let response: CreateVolumeResponse;
  try {
    response = await c.csiController.createVolume({ ...request.createVolume, secrets }, options);
  } catch (error) {
    const failure = failureOf(c, request, error);
    const failuresBefore = c.controllers.claims.queue.numRequeues(request.claim.metadata.uid);
    claims.observe(failure.kind === "reschedule" ? "unrelated" : loadSignal(error, failuresBefore));
    return failure;
  }
  claims.observe("ok");
  const check = checkResponse(response, request, (key) => isOnSomeNode(c, key));
  if (check.kind === "bad") return cleanupVolume(c, check, request, secrets, signal);
  const volume = volumeObject(c, request, check.volume);
  if (volume.error === undefined) return { kind: "created", volume: volume.value, volumeId: check.volume.id };
  return cleanupVolume(c, { error: volume.error, volumeId: check.volume.id }, request, secrets, signal);
}

/** Any key will do where the nodes are not known (node deployment), or the driver is not registered on any of them yet. */
function isOnSomeNode({ nodes, localNode }: ProvisionerContext, topologyKey: string): boolean {
  if (!nodes || localNode || nodes.keySets().length === 0) return true;
  return nodes.termsWith([topologyKey]).length > 0;
}

/** The PersistentVolume; in the form of the in-tree plugin where the class is the plugin's. */
function volumeObject(
  { driver, settings, identity, otherFinalizers }: ProvisionerContext,
  request: ProvisionRequest,
  created: CreatedVolume,
): Result<V1PersistentVolume> {
  // An in-tree volume becomes the attacher's when the cluster says so, not before.
  const finalizers = request.migrated ? [] : otherFinalizers;
  const volume = persistentVolume(request, created, { ...settings, driver, identity, finalizers });
  return request.migrated ? volumeToInTree(volume, driver.name) : { value: volume };
}

function failureOf(c: ProvisionerContext, { selectedNode }: ProvisionRequest, thrown: unknown): CreateFailure {
  const failure = classifyFailure("createVolume", thrown);
  const { error } = failure;
  if (failure.kind === "uncertain") return { kind: "uncertain", error };
  if (failure.kind === "transient") return { kind: "unchanged", error };
  const code = error instanceof GrpcError ? error.code : Code.Unknown;
  if (reschedulesForCode(code, c.driver.topology, selectedNode)) return { kind: "reschedule", error };
  return { kind: failure.infeasible ? "infeasible" : "final", error };
}
