import { bytesOf } from "@csi-sidecars/base";
import { isAlreadyExists, isNotFound, Node, Pod } from "@csi-sidecars/kube";
import { type NodeExpansionFailure, startStorageControllers } from "@csi-sidecars/testcluster";
import { until } from "../../e2e/testing/until.ts";
import type { World } from "../../e2e/testing/world.ts";
import { inDefault, requestTimeout } from "../claims.ts";
import { insist } from "../insist.ts";
import { claimOfVolume } from "./claims.ts";
import type { History, PodUse } from "./history.ts";

const nodeName = "node-1";

/** The pods that use claims, one each at most, and the kubelet that runs them and expands their volumes. */
export class Pods implements AsyncDisposable {
  readonly #world: World;
  readonly #history: History;
  readonly #random: () => number;
  readonly #running = new Map<string, PodUse>();
  readonly #stop = new AbortController();
  #kubelet: Promise<void> | undefined;
  /** Whether the node may fail to expand. */
  mayFail = true;
  /** Expansions that kubelet asked for beyond the size of the volume. */
  readonly senseless: string[] = [];

  constructor(world: World, history: History, random: () => number) {
    this.#world = world;
    this.#history = history;
    this.#random = random;
  }

  async start(): Promise<void> {
    const { admin } = this.#world.cluster;
    await admin.create(Node, { metadata: { name: nodeName } });
    const expand = async ({ volume, size }: { volume: { metadata: { name: string } }; size: string }) =>
      this.#expand(volume.metadata.name, bytesOf(size));
    const { done } = await startStorageControllers({ client: admin, signal: this.#stop.signal, only: ["kubelet"], hooks: { expand } });
    this.#kubelet = done;
  }

  /** Whether the storage system sees the volume in use: a little longer than its pod is there. */
  readonly isInUse = (volume: string): boolean => this.#running.has(claimOfVolume(volume));

  has(claim: string): boolean {
    return this.#running.has(claim);
  }

  async run(claim: string): Promise<void> {
    if (this.has(claim)) return;
    const use: PodUse = { claim, from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    this.#running.set(claim, use);
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: claim } }];
    const spec = { nodeName, containers: [{ name: "main", image: "app" }], volumes };
    const create = () => this.#world.cluster.admin.create(Pod, { metadata: inDefault(podOf(claim)), spec }, requestTimeout);
    await this.#history.reason("pod", claim, () => insist(create, isAlreadyExists));
    this.#history.uses.push(Object.assign(use, { from: performance.now() }));
  }

  async end(claim: string): Promise<void> {
    const use = this.#running.get(claim);
    if (!use) return;
    const { admin } = this.#world.cluster;
    const ref = inDefault(podOf(claim));
    const isGone = () => admin.get(Pod, ref, requestTimeout).then(() => false, isNotFound);
    await this.#history.reason("pod", claim, async () => {
      use.to = performance.now();
      await insist(() => admin.delete(Pod, ref, requestTimeout), isNotFound);
      await until(`the end of ${ref.name}`, isGone, 90_000);
    });
    this.#running.delete(claim);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#kubelet;
  }

  async #expand(name: string, wanted: bigint): Promise<NodeExpansionFailure | undefined> {
    const volume = this.#world.driver.volumes.get(name);
    if (!volume) return { result: "failed", message: "no such volume" };
    const now = performance.now();
    // Kubelet writes before and after this.
    this.#history.reasons.push({ claim: claimOfVolume(name), kind: "kubelet", from: now - 2_000, to: now + 3_000 });
    if (wanted > volume.capacityBytes) this.senseless.push(`${name}: to ${wanted} of ${volume.capacityBytes}`);
    const roll = this.mayFail ? this.#random() : 1;
    if (roll < 0.05) return { result: "infeasible", message: "the file system cannot have that size" };
    if (roll < 0.15) return { result: "failed", message: "the file system is busy" };
    volume.nodeBytes = wanted;
    return undefined;
  }
}

const podOf = (claim: string) => `pod-${claim}`;
