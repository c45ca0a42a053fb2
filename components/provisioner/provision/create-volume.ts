import { asError, type Result } from "@csi-sidecars/base";
import { apiTimeoutMs, loadSignal } from "@csi-sidecars/controller";
import { Code, type CreateVolumeResponse, classifyFailure, GrpcError } from "@csi-sidecars/csi";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { volumeToInTree } from "@csi-sidecars/translation";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { provisionerSecrets } from "../secret/secrets.ts";
import { reschedulesForCode } from "../topology/reschedule.ts";
import { type CreatedVolume, checkAnswer } from "./check-answer.ts";
import type { Preparation } from "./preparation.ts";
import { takeBack } from "./take-back.ts";
import { volumeObject } from "./volume-object.ts";

/**
 * How an attempt to make a volume ended.
 * - `final`: nothing is running, nothing was left. `infeasible`: the same request will not succeed.
 * - `uncertain`: a volume may be there or may come; ask again. `unchanged`: the driver was not reached.
 * - `reschedule`: there is no room where the selected node needs it.
 */
export type CreateEnd =
  | { readonly kind: "created"; readonly volume: V1PersistentVolume; readonly volumeId: string }
  | { readonly kind: "final" | "infeasible" | "uncertain" | "unchanged" | "reschedule"; readonly error: Error };

/** Asks the driver for the volume, and takes back what it got wrong. */
export async function createVolume(c: ProvisionerContext, preparation: Preparation, signal: AbortSignal): Promise<CreateEnd> {
  let secrets: Record<string, string>;
  try {
    secrets = await provisionerSecrets(c.kube, preparation.secrets, { signal, timeoutMs: apiTimeoutMs });
  } catch (error) {
    return { kind: "unchanged", error: asError(error) };
  }
  const { migrated, request } = preparation;
  let response: CreateVolumeResponse;
  try {
    response = await c.controller.createVolume({ ...request, secrets }, { timeoutMs: c.settings.timeoutMs, signal, migrated });
  } catch (error) {
    const failure = failureOf(c, preparation, error);
    c.pace("claims", failure.kind === "reschedule" ? "unrelated" : loadSignal(error, c.failuresOf(preparation.claim.metadata.uid)));
    return failure;
  }
  c.pace("claims", "ok");
  const check = checkAnswer(response, preparation, (key) => isOnSomeNode(c, key));
  if (check.kind === "bad") return takeBack(c, check, preparation, secrets, signal);
  const volume = describe(c, preparation, check.volume);
  if (volume.error === undefined) return { kind: "created", volume: volume.value, volumeId: check.volume.id };
  return takeBack(c, { error: volume.error, volumeId: check.volume.id }, preparation, secrets, signal);
}

/** Nothing is held against a key where the nodes are not seen (node deployment) or the driver has none yet. */
function isOnSomeNode({ nodes, ownNode }: ProvisionerContext, topologyKey: string): boolean {
  if (!nodes || ownNode || nodes.keySets().length === 0) return true;
  return nodes.termsWith([topologyKey]).length > 0;
}

/** The volume's object; in the form of the in-tree plugin where the class is that one's. */
function describe(
  { driver, settings, identity, neighbourFinalizers }: ProvisionerContext,
  preparation: Preparation,
  created: CreatedVolume,
): Result<V1PersistentVolume> {
  // An in-tree volume becomes the attacher's when the cluster says so, not before.
  const finalizers = preparation.migrated ? [] : neighbourFinalizers;
  const volume = volumeObject(preparation, created, { ...settings, driver, identity, finalizers });
  return preparation.migrated ? volumeToInTree(volume, driver.name) : { value: volume };
}

function failureOf(c: ProvisionerContext, { selectedNode }: Preparation, thrown: unknown): CreateEnd {
  const failure = classifyFailure("createVolume", thrown);
  const { error } = failure;
  if (failure.kind === "uncertain") return { kind: "uncertain", error };
  if (failure.kind === "transient") return { kind: "unchanged", error };
  const code = error instanceof GrpcError ? error.code : Code.Unknown;
  if (reschedulesForCode(code, c.driver.topology, selectedNode)) return { kind: "reschedule", error };
  return { kind: failure.infeasible ? "infeasible" : "final", error };
}
