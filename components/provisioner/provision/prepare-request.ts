import { asError } from "@csi-sidecars/base";
import { apiCallOptions, done, type ReconcileResult } from "@csi-sidecars/controller";
import { keyOf, PersistentVolumeClaim, VolumeAttributesClass } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { competeForClaim } from "../node/claim-ownership.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { protectClaim } from "../source/clone-protection.ts";
import { findClone } from "../source/clone-source.ts";
import type { FoundSource } from "../source/data-source.ts";
import { protectSnapshot } from "../source/snapshot-protection.ts";
import { findSnapshot } from "../source/snapshot-source.ts";
import { type TopologyResult, topologyRequirement } from "../topology/requirement.ts";
import { volumeName } from "../volume-name.ts";
import {
  buildRequest,
  type InputRead,
  type ProvisionOptions,
  type Refusal,
  type RequestInputs,
  type RequestStep,
} from "./build-request.ts";
import { canReschedule, reportFailure, rescheduleClaim } from "./handle-create-failure.ts";
import { addInProgressFinalizer, hasInProgressFinalizer, removeInProgressFinalizer } from "./in-progress-finalizer.ts";
import { type ProvisionPlan, planProvision } from "./plan-provision.ts";
import type { ProvisionRequest } from "./provision-request.ts";

/** What comes next for a claim without a volume. */
export type Prepared =
  | { readonly next: "provision"; readonly request: ProvisionRequest }
  | { readonly next: "stop"; readonly result: ReconcileResult };

const stop: Prepared = { next: "stop", result: done };

/** Finds out what the driver is to be asked for the claim, and makes sure that nothing is lost if the process ends in the middle. */
export async function prepareRequest(c: ProvisionerContext, found: Claim, signal: AbortSignal): Promise<Prepared> {
  const claim = unboundFromForeignVolume(c, found);
  const needsNode = !isLeftToDriver(c, claim);
  const plan = planProvision(claim, (name) => c.classes.get(name), c.driver, { needsNode });
  if (plan.step === "none") {
    if (hasInProgressFinalizer(claim) && !awaitsScheduler(c, plan)) await removeInProgressFinalizer(c, claim, signal);
    return stop;
  }
  if (plan.step === "report") {
    c.metrics.provisionFailed(claim);
    throw new Error(plan.message);
  }
  const { inProgressFinalizer } = c.settings;
  if (inProgressFinalizer && claim.metadata.deletionTimestamp && !hasInProgressFinalizer(claim)) return stop;
  if (c.localNode) {
    const ownership = await competeForClaim(c, c.localNode, { claim, class: plan.class }, signal);
    if (ownership !== "own") return { next: "stop", result: ownership };
  }
  c.events.provisioning(claim);
  // Nobody has ever used an orphaned volume: it is not retained, whatever its class says.
  const isOrphan = c.state.orphanCandidate(claim.metadata.uid) !== undefined;
  const storageClass: Class = isOrphan ? { ...plan.class, reclaimPolicy: "Delete" } : plan.class;
  const { driver, settings, grantsIn } = c;
  const options = { claim, class: storageClass, selectedNode: plan.selectedNode, driver, settings, grantsIn };
  const built = await buildAnywhere(c, options, needsNode, signal).catch((error: unknown) => {
    reportFailure(c, claim, asError(error), signal);
    throw error;
  });
  if (built.step === "refuse") return handleRefusal(c, claim, built, signal);
  if (inProgressFinalizer && !(await addInProgressFinalizer(c.kube, claim, apiCallOptions(signal)))) return stop;
  return { next: "provision", request: built.request };
}

/**
 * Whether the claim is deleted, and an earlier process may have asked the driver for its volume. The scheduler does nothing for such a
 * claim: the driver is asked for the same name without a node, and its answer ends that. In a node deployment each instance knows
 * of its own calls only.
 */
function isLeftToDriver({ state, localNode }: ProvisionerContext, claim: Claim): boolean {
  if (state.orphanCandidate(claim.metadata.uid)) return true;
  return claim.metadata.deletionTimestamp !== undefined && hasInProgressFinalizer(claim) && !localNode;
}

/** An earlier process may have asked the driver before the claim lost its node: the finalizer stays until there is another, or the claim is deleted. */
function awaitsScheduler({ localNode }: ProvisionerContext, plan: Extract<ProvisionPlan, { step: "none" }>): boolean {
  return plan.because === "no node selected" && !localNode;
}

/**
 * A claim with our finalizer that is bound to another volume by now: the driver may be creating one for it all the same, and only the
 * driver's answer ends that. The cluster releases a volume whose claim has another one.
 */
function unboundFromForeignVolume({ settings }: ProvisionerContext, claim: Claim): Claim {
  const { volumeName: bound, ...spec } = claim.spec ?? {};
  const isForeign = bound && bound !== volumeName(settings.naming, claim.metadata.uid).value;
  return isForeign && hasInProgressFinalizer(claim) ? { ...claim, spec } : claim;
}

type Built = Exclude<RequestStep, { readonly step: "read" }>;

/** Builds the request, where no other node can be asked for without the node if that is unusable. */
async function buildAnywhere(c: ProvisionerContext, options: ProvisionOptions, needsNode: boolean, signal: AbortSignal): Promise<Built> {
  const built = await build(c, options, signal);
  const isUnplaced = built.step === "refuse" && built.why === "reschedule" && !needsNode;
  return isUnplaced ? build(c, { ...options, selectedNode: undefined }, signal) : built;
}

/** Builds the request from what it asks to read. Sources are protected last, so that a claim that cannot be served leaves no trace. */
async function build(c: ProvisionerContext, options: ProvisionOptions, signal: AbortSignal): Promise<Built> {
  let inputs: RequestInputs = {};
  for (;;) {
    const step = buildRequest(options, inputs);
    if (step.step === "read") {
      inputs = { ...inputs, ...(await readInput(c, options, step, signal)) };
      continue;
    }
    if (step.step === "ready" && step.source) await protect(c, step.source, signal);
    return step;
  }
}

async function readInput(c: ProvisionerContext, options: ProvisionOptions, read: InputRead, signal: AbortSignal): Promise<RequestInputs> {
  switch (read.input) {
    case "source": {
      const find = read.kind === "snapshot" ? findSnapshot : findClone;
      return { source: await find(c, { claim: options.claim, class: read.class, source: read.source }, signal) };
    }
    case "topology": {
      const topology = readTopology(c, options, read.class);
      return { topology: { ...topology, lastingMs: recordNodeProblem(c, options, topology) } };
    }
    case "annotations":
      return { annotations: await readAnnotations(c, options.claim, signal) };
    case "attributesClass":
      return { attributesClass: await c.kube.get(VolumeAttributesClass, { name: read.name }, apiCallOptions(signal)) };
  }
}

/** Where the volume may be, by the nodes as they are now. */
function readTopology({ nodes, settings }: ProvisionerContext, options: ProvisionOptions, { allowedTopologies }: Class): TopologyResult {
  if (!nodes) return { requirement: undefined };
  const { claim, selectedNode } = options;
  const { strictTopology: strict, immediateTopology: immediate } = settings;
  return topologyRequirement({ claimName: claim.metadata.name, selectedNode, strict, immediate, nodes, allowedTopologies });
}

/** Remembers whether the node is usable, for the claim to be retried when nodes change. Returns how long it has had the same problem. */
function recordNodeProblem({ state, clock }: ProvisionerContext, options: ProvisionOptions, topology: TopologyResult): number {
  const { uid } = options.claim.metadata;
  if (!("problem" in topology)) {
    state.nodeProblemSolved(uid);
    return 0;
  }
  const now = clock.monotonic();
  return now - state.nodeProblemSeen(uid, options.selectedNode ?? "", topology.problem, now);
}

async function readAnnotations({ kube }: ProvisionerContext, { metadata }: Claim, signal: AbortSignal): Promise<Record<string, string>> {
  const { name, namespace = "", uid } = metadata;
  const fresh = await kube.get(PersistentVolumeClaim, { name, namespace }, apiCallOptions(signal));
  if (fresh.metadata?.uid !== uid) throw new Error(`persistentvolumeclaim "${name}" was replaced: its annotations name no secret`);
  return fresh.metadata?.annotations ?? {};
}

async function protect(c: ProvisionerContext, source: FoundSource, signal: AbortSignal): Promise<void> {
  const options = apiCallOptions(signal);
  if (source.kind === "snapshot") return protectSnapshot(c, source.snapshot, options);
  await c.locks.run(`source ${keyOf(source.claim)}`, () => protectClaim(c.kube, source.claim, options));
}

async function handleRefusal(c: ProvisionerContext, claim: Claim, { why, message }: Refusal, signal: AbortSignal): Promise<Prepared> {
  if (why === "populator") {
    c.events.leftToPopulator(claim);
    return stop;
  }
  const error = new Error(message);
  reportFailure(c, claim, error, signal);
  if (why !== "reschedule" || !canReschedule(claim)) throw error;
  await rescheduleClaim(c, claim, signal);
  return stop;
}
