import type { Clock } from "@csi-sidecars/base";
import type { ObjectEvents } from "@csi-sidecars/controller";
import {
  type Client,
  type Key,
  PersistentVolumeClaim,
  refKey,
  strategicMergePatch,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { storageSize } from "../claims.ts";
import type { Claim, ClusterPod, Volume } from "../fields.ts";
import type { NodeExpansionFailure } from "./expansion-failure.ts";
import { pauseAfter } from "./pause-after.ts";
import { expansionBegun, expansionFailed, expansionFinished, type NodeExpansionPlan, planNodeExpansion } from "./plan-node-expansion.ts";

/** A volume to expand on the node of a pod that has it mounted. */
export interface NodeExpansion {
  readonly pod: ClusterPod;
  readonly volume: Volume;
  readonly node: string;
  readonly size: string;
}

export interface NodeExpanderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** NodeExpandVolume; resolves with `undefined` on success. */
  readonly call: (expansion: NodeExpansion, signal: AbortSignal) => Promise<NodeExpansionFailure | undefined>;
  readonly podEvents: ObjectEvents;
  readonly claimEvents: ObjectEvents;
}

/** What a kubelet knows about a volume on its node. */
interface NodeVolume {
  /** The size that it takes the volume for. */
  size: bigint;
  /** The driver refuses while the volume is mounted. */
  inUse: boolean;
  failedBefore: boolean;
  /** How many attempts have failed since the last success, and when the next may be. */
  failures: number;
  pausedUntil: number;
}

/** An attempt that failed now, or that comes too early after one that did. */
export interface PostponedExpansion {
  readonly failure?: string;
  readonly waitMs: number;
}

/** A use of a claim by a pod on a node. */
export interface VolumeUse {
  readonly pod: ClusterPod;
  readonly node: string;
  readonly claim: Claim;
  readonly volume: Volume;
}

/**
 * Expands the volumes that pods have mounted, as the kubelets of their nodes do. Claims are read from the API server before each attempt
 * and written with the version read, so that a write of the resizer in between makes the attempt fail.
 */
export class NodeExpander {
  readonly #options: NodeExpanderOptions;
  readonly #known = new Map<string, NodeVolume>();

  constructor(options: NodeExpanderOptions) {
    this.#options = options;
  }

  /** No pod on the node uses the claim any more: its volume is unmounted there. */
  forget(node: string, claim: Key): void {
    this.#known.delete(`${node}/${claim}`);
  }

  /** While a pod is started: a volume that is larger than its claim is expanded first. The pod does not start before that. */
  async expandDuringMount(use: VolumeUse, signal: AbortSignal): Promise<PostponedExpansion | undefined> {
    const { pod, claim, volume } = use;
    const [before, wanted] = [storageSize(claim.status?.capacity), storageSize(volume.spec?.capacity)];
    if (before >= wanted) return undefined;
    if (isReadOnly(pod, claim)) {
      const message = `MountVolume.NodeExpandVolume failed for volume "${volume.metadata.name}" requested read-only file system`;
      this.#options.podEvents.warning(pod, "FileSystemResizeFailed", message);
      this.#options.claimEvents.warning(claim, "FileSystemResizeFailed", message);
      return undefined;
    }
    return this.#attempt(use, signal);
  }

  /** While a pod runs: a volume that has grown is expanded. */
  async expandMounted(use: VolumeUse, signal: AbortSignal): Promise<PostponedExpansion | undefined> {
    if (isReadOnly(use.pod, use.claim)) return undefined;
    const { size, inUse } = this.#volumeOf(use);
    return inUse || size === 0n || storageSize(use.volume.spec?.capacity) <= size ? undefined : this.#attempt(use, signal);
  }

  #volumeOf({ node, claim }: VolumeUse): NodeVolume {
    const key = `${node}/${refKey(claim.metadata)}`;
    const size = storageSize(claim.status?.capacity);
    const known = this.#known.get(key) ?? { size, inUse: false, failedBefore: false, failures: 0, pausedUntil: 0 };
    this.#known.set(key, known);
    return known;
  }

  async #attempt(use: VolumeUse, signal: AbortSignal): Promise<PostponedExpansion | undefined> {
    const { client, clock, call } = this.#options;
    const { pod, node, volume } = use;
    const { namespace, name } = use.claim.metadata;
    const known = this.#volumeOf(use);
    const tooEarlyMs = known.pausedUntil - clock.monotonic();
    if (tooEarlyMs > 0) return { waitMs: tooEarlyMs };
    const read = await client.get(PersistentVolumeClaim, { namespace, name }, { signal });
    const plan = planNodeExpansion(read, volume, known.failedBefore);
    if (plan.step === "none") return undefined;
    if (plan.step === "assume") return this.#reached(known, plan);
    const { size, recovery, finished } = plan;
    const begins = recovery && !finished;
    const claim = begins ? await this.#patch(read, expansionBegun, read.metadata?.resourceVersion, signal) : read;
    const failure = await call({ pod, volume, node, size }, signal);
    if (!failure) {
      this.#tell(use, `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata.name}" ${node}`);
      if (!finished) await this.#patch(claim, expansionFinished(claim, size), claim.metadata?.resourceVersion, signal);
      return this.#reached(known, plan);
    }
    if (failure.result === "unsupported" && !begins) return this.#reached(known, plan);
    if (recovery && failure.result !== "unregistered") {
      known.failedBefore = true;
      const infeasible = failure.result === "infeasible" || plan.infeasibleOnFailure;
      await this.#patch(claim, expansionFailed(claim, failure, { infeasible, now: clock.now() }), undefined, signal);
    }
    known.inUse = failure.result === "in-use";
    return known.inUse ? undefined : { failure: failure.message, waitMs: this.#pause(known) };
  }

  /** Whatever happens to the claim meanwhile, the next attempt waits, so that a resizer that repeats itself causes no storm of calls. */
  #pause(known: NodeVolume): number {
    const waitMs = pauseAfter(known.failures);
    known.failures++;
    known.pausedUntil = this.#options.clock.monotonic() + waitMs;
    return waitMs;
  }

  #reached(known: NodeVolume, { size }: Exclude<NodeExpansionPlan, { readonly step: "none" }>): undefined {
    known.size = storageSize({ storage: size });
    known.failures = 0;
  }

  #tell({ pod, claim }: VolumeUse, message: string): void {
    this.#options.podEvents.normal(pod, "FileSystemResizeSuccessful", message);
    this.#options.claimEvents.normal(claim, "FileSystemResizeSuccessful", message);
  }

  /** Kubelet checks the version where it builds on the state that it read, not where it only adds a condition. */
  #patch({ metadata }: V1PersistentVolumeClaim, body: object, resourceVersion: string | undefined, signal: AbortSignal) {
    const { name = "", namespace } = metadata ?? {};
    const patch = strategicMergePatch({ ...(resourceVersion !== undefined && { metadata: { resourceVersion } }), ...body });
    return this.#options.client.patch(PersistentVolumeClaim, { name, namespace }, patch, { subresource: "status", signal });
  }
}

/** A pod that only reads a volume does not change its file system. */
function isReadOnly(pod: ClusterPod, { metadata: { name } }: Claim): boolean {
  const uses = (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: use }) => (use?.claimName === name ? [use] : []));
  return uses.length > 0 && uses.every(({ readOnly }) => readOnly === true);
}
