import { messageOf } from "@csi-sidecars/base";
import { apiTimeoutMs, readAndUpdate, requestedBytes } from "@csi-sidecars/controller";
import { done, isAbort, isNotFound, PersistentVolumeClaim, type ReconcileResult, requeueAfter } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { requestParameters, usageOf } from "../provision/class-decisions.ts";
import { volumeName } from "../provision/volume-name.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { nodeOwnership, type Ownership } from "../topology/node-ownership.ts";
import { type TopologyAnswer, topologyRequirement } from "../topology/requirement.ts";
import { selectedNodeAnnotation, selectedNodeOf, withSelectedNode } from "../topology/selected-node.ts";
import type { OwnNode } from "./own-node.ts";

/** Whose claim it is. */
function ownershipOf(c: ProvisionerContext, own: OwnNode, claim: Claim, of: Class): Ownership {
  return nodeOwnership({
    selectedNode: claim.metadata.annotations?.[selectedNodeAnnotation],
    ownNode: own.name,
    volumeBindingMode: of.volumeBindingMode,
    immediateBinding: own.immediateBinding,
    requirement: of.allowedTopologies?.length ? () => ownRequirement(c, own, claim, of) : undefined,
  });
}

/**
 * Lets an instance of a node deployment work on its own claims only. Answers `own`, or when to look at the claim again: the wait
 * before trying to become its owner holds no worker.
 */
export async function compete(
  c: ProvisionerContext,
  own: OwnNode,
  { claim, class: of }: { readonly claim: Claim; readonly class: Class },
  signal: AbortSignal,
): Promise<"own" | ReconcileResult> {
  const { ownershipTries } = c.memory;
  const { uid } = claim.metadata;
  const ownership = ownershipOf(c, own, claim, of);
  if (ownership !== "compete") {
    ownershipTries.delete(uid);
    return ownership === "own" ? "own" : done;
  }
  const now = c.clock.monotonic();
  const wait = (tries: number) => {
    const delay = delayBefore(own, tries, Math.random);
    ownershipTries.set(uid, { tries, due: now + delay });
    return requeueAfter(delay);
  };
  const before = ownershipTries.get(uid);
  if (!before) return wait(0);
  if (now < before.due) return requeueAfter(before.due - now);
  const tried = await becomeOwner(c, own, claim, of, signal).catch((error: unknown) => {
    if (isNotFound(error)) return true;
    throw reported(c, own, claim, error, signal);
  });
  return tried ? done : wait(before.tries + 1);
}

/** In upstream's words: somebody has to learn that no instance can write its node on the claim. */
function reported(c: ProvisionerContext, own: OwnNode, claim: Claim, cause: unknown, signal: AbortSignal): Error {
  const { namespace, name } = claim.metadata;
  const text = `node check failed: PVC ${namespace}/${name}: selecting node "${own.name}" for PVC failed: ${messageOf(cause)}`;
  if (!signal.aborted && !isAbort(cause)) {
    c.metrics.provisionFailed(claim);
    c.events.failed(claim, text);
  }
  return new Error(text, { cause });
}

/** Before trying to become a claim's owner all instances wait for a random time, so that few of them try at once. */
export function delayBefore({ baseDelayMs, maxDelayMs }: OwnNode, earlierTries: number, random: () => number): number {
  return Math.max(0, Math.min(baseDelayMs * 2 ** earlierTries, maxDelayMs) - random() * baseDelayMs);
}

/**
 * Writes this node on a claim that nobody has yet, if there is room for it here. A failing look at the capacity does not count
 * as no room: somebody has to report the problem. Answers whether it was tried.
 */
async function becomeOwner(c: ProvisionerContext, own: OwnNode, claim: Claim, of: Class, signal: AbortSignal): Promise<boolean> {
  const enough = await hasRoom(c, own, claim, of, signal).catch((error: unknown) => {
    c.log.error(error, "Could not look for capacity", { claim: `${claim.metadata.namespace}/${claim.metadata.name}` });
    return true;
  });
  if (!enough) return false;
  const { name, namespace, uid } = claim.metadata;
  await readAndUpdate(
    c.kube,
    PersistentVolumeClaim,
    { name, namespace },
    (fresh) => {
      if (fresh.metadata?.uid !== uid || selectedNodeOf(fresh.metadata.annotations)) return undefined;
      const annotations = withSelectedNode(fresh.metadata.annotations, own.name);
      return annotations && { ...fresh, metadata: { ...fresh.metadata, annotations } };
    },
    { signal, timeoutMs: apiTimeoutMs },
  );
  return true;
}

function ownRequirement(c: ProvisionerContext, own: OwnNode, claim: Claim, of: Class): TopologyAnswer {
  if (!c.driver.topology || !c.nodes) return { requirement: undefined };
  const { strictTopology: strict, immediateTopology: immediate } = c.settings;
  return topologyRequirement({
    ...{ strict, immediate, nodes: c.nodes, claimName: claim.metadata.name, selectedNode: own.name },
    allowedTopologies: of.allowedTopologies,
  });
}

async function hasRoom(c: ProvisionerContext, own: OwnNode, claim: Claim, of: Class, signal: AbortSignal): Promise<boolean> {
  const requested = requestedBytes(claim);
  if (requested === 0n) return true;
  const usage = usageOf(claim, of, { ...c.settings, ...c.driver });
  if ("refused" in usage) throw usage.error;
  const volume = volumeName(c.settings.naming, claim.metadata.uid).value ?? "";
  const stripped = requestParameters(of.parameters ?? {}, c.settings.extraCreateMetadata ? { claim, volume } : undefined);
  if ("refused" in stripped) throw stripped.error;
  const place = ownRequirement(c, own, claim, of);
  if ("problem" in place) throw new Error(place.error);
  const request = { volumeCapabilities: usage.capabilities, parameters: { ...stripped.parameters } };
  for (const accessibleTopology of place.requirement?.requisite ?? [undefined]) {
    const answer = await c.controller.getCapacity({ ...request, accessibleTopology }, { timeoutMs: c.settings.timeoutMs, signal });
    if (answer.availableCapacity >= requested) return true;
  }
  return false;
}
