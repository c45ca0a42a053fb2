import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, done, type ReconcileResult, readAndUpdate, requestedBytes, requeueAfter } from "@csi-sidecars/controller";
import { isAbort, isNotFound, keyOf, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { requestParameters, volumeCapabilities } from "../provision/request-parameters.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { type TopologyResult, topologyRequirement } from "../topology/requirement.ts";
import { selectedNodeAnnotation, selectedNodeOf, withSelectedNode } from "../topology/selected-node.ts";
import { volumeName } from "../volume-name.ts";
import type { LocalNode } from "./local-node.ts";

/** The owner of a claim in a node deployment. `compete`: nobody yet; an instance with capacity for it writes its node on the claim. */
export type Ownership = "own" | "not-own" | "compete";

export interface OwnershipOptions {
  /** Of the claim. */
  readonly selectedNode: string | undefined;
  /** `NODE_NAME` */
  readonly localNode: string;
  /** Of the claim's class. */
  readonly volumeBindingMode: string | undefined;
  /** `--node-deployment-immediate-binding` */
  readonly immediateBinding: boolean;
  /** What {@link topologyRequirement} says for this node, where the class has allowed topologies and topology is used. */
  readonly requirement?: (() => TopologyResult) | undefined;
}

export function claimOwnership(options: OwnershipOptions): Ownership {
  const { selectedNode, localNode, volumeBindingMode, immediateBinding, requirement } = options;
  if (selectedNode) return selectedNode === localNode ? "own" : "not-own";
  if (volumeBindingMode !== "Immediate" || !immediateBinding) return "not-own";
  const answer = requirement?.();
  return answer && "problem" in answer ? "not-own" : "compete";
}

interface CompetedClaim {
  readonly claim: Claim;
  readonly class: Class;
}

/**
 * Lets an instance of a node deployment work on its own claims only. Returns `own`, or when to reconcile the claim again: the delay
 * before an attempt to become its owner holds no worker.
 */
export async function competeForClaim(
  c: ProvisionerContext,
  local: LocalNode,
  competed: CompetedClaim,
  signal: AbortSignal,
): Promise<"own" | ReconcileResult> {
  const { claim, class: storageClass } = competed;
  const { uid } = claim.metadata;
  const ownership = claimOwnership({
    selectedNode: claim.metadata.annotations?.[selectedNodeAnnotation],
    localNode: local.name,
    volumeBindingMode: storageClass.volumeBindingMode,
    immediateBinding: local.immediateBinding,
    requirement: storageClass.allowedTopologies?.length ? () => localRequirement(c, local, competed) : undefined,
  });
  if (ownership !== "compete") {
    c.state.ownershipDecided(uid);
    return ownership === "own" ? "own" : done;
  }
  const now = c.clock.monotonic();
  const delay = (tries: number) => {
    const delayMs = ownershipDelay(local, tries, Math.random);
    c.state.ownershipAttempted(uid, { tries, due: now + delayMs });
    return requeueAfter(delayMs);
  };
  const before = c.state.ownershipAttempt(uid);
  if (!before) return delay(0);
  if (now < before.due) return requeueAfter(before.due - now);
  const tried = await becomeOwner(c, local, competed, signal).catch((error: unknown) => {
    if (isNotFound(error)) return true;
    throw reported(c, local, claim, error, signal);
  });
  return tried ? done : delay(before.tries + 1);
}

/** Before they try to become a claim's owner all instances wait for a random time, so that few of them try at once. */
export function ownershipDelay({ baseDelayMs, maxDelayMs }: LocalNode, earlierTries: number, random: () => number): number {
  return Math.max(0, Math.min(baseDelayMs * 2 ** earlierTries, maxDelayMs) - random() * baseDelayMs);
}

/** In upstream's words: somebody has to learn that no instance can write its node on the claim. */
function reported(c: ProvisionerContext, local: LocalNode, claim: Claim, cause: unknown, signal: AbortSignal): Error {
  const text = `node check failed: PVC ${keyOf(claim)}: selecting node "${local.name}" for PVC failed: ${messageOf(cause)}`;
  if (!signal.aborted && !isAbort(cause)) {
    c.metrics.provisionFailed(claim);
    c.events.failed(claim, text);
  }
  return new Error(text, { cause });
}

/**
 * Writes this node on a claim without an owner, if the node has capacity for it. A failing GetCapacity does not count as no capacity: somebody
 * has to report the problem. Returns whether it was tried.
 */
async function becomeOwner(c: ProvisionerContext, local: LocalNode, competed: CompetedClaim, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid } = competed.claim.metadata;
  const enough = await hasCapacity(c, local, competed, signal).catch((error: unknown) => {
    c.log.error(error, "Could not get the node's capacity", { claim: keyOf(competed.claim) });
    return true;
  });
  if (!enough) return false;
  await readAndUpdate(
    c.kube,
    PersistentVolumeClaim,
    { name, namespace },
    (fresh) => {
      if (fresh.metadata?.uid !== uid || selectedNodeOf(fresh.metadata.annotations)) return undefined;
      const annotations = withSelectedNode(fresh.metadata.annotations, local.name);
      return annotations && { ...fresh, metadata: { ...fresh.metadata, annotations } };
    },
    apiCallOptions(signal),
  );
  return true;
}

function localRequirement(c: ProvisionerContext, local: LocalNode, { claim, class: { allowedTopologies } }: CompetedClaim): TopologyResult {
  if (!c.driver.topology || !c.nodes) return { requirement: undefined };
  const { strictTopology: strict, immediateTopology: immediate } = c.settings;
  const { name: claimName } = claim.metadata;
  return topologyRequirement({ strict, immediate, nodes: c.nodes, claimName, selectedNode: local.name, allowedTopologies });
}

async function hasCapacity(c: ProvisionerContext, local: LocalNode, competed: CompetedClaim, signal: AbortSignal): Promise<boolean> {
  const { claim, class: storageClass } = competed;
  const requested = requestedBytes(claim);
  if (requested === 0n) return true;
  const usage = volumeCapabilities(claim, storageClass, { ...c.settings, ...c.driver });
  if (usage.error !== undefined) throw new Error(usage.error);
  const volume = volumeName(c.settings.naming, claim.metadata.uid).value ?? "";
  const parameters = requestParameters(storageClass.parameters ?? {}, c.settings.extraCreateMetadata ? { claim, volume } : undefined);
  if (parameters.error !== undefined) throw new Error(parameters.error);
  const topology = localRequirement(c, local, competed);
  if ("problem" in topology) throw new Error(topology.error);
  const request = { volumeCapabilities: usage.value.capabilities, parameters: { ...parameters.value } };
  for (const accessibleTopology of topology.requirement?.requisite ?? [undefined]) {
    const response = await c.csiController.getCapacity({ ...request, accessibleTopology }, { timeoutMs: c.settings.timeoutMs, signal });
    if (response.availableCapacity >= requested) return true;
  }
  return false;
}
