import { systemClock } from "@csi-sidecars/base";
import { isAlreadyExists, isNotFound, type KubeObject, type Resource, VolumeGroupSnapshot, VolumeSnapshot } from "@csi-sidecars/kube";
import type { World } from "../../e2e/testing/world.ts";
import { inDefault, requestTimeout } from "../claims.ts";
import { insist } from "../insist.ts";
import { claimName, groupOfClaim, type Policy, policies } from "./claims.ts";

/** Somebody who requests one snapshot, or a group snapshot, and may delete it again. */
export class SnapshotUser {
  readonly name: string;
  readonly policy: Policy;
  /** Whether it is deleted again. */
  readonly isDeleted: boolean;
  readonly isGroup: boolean;
  uid = "";
  readonly #world: World;
  readonly #random: () => number;
  readonly #source: number;

  constructor(world: World, random: () => number, what: { readonly name: string; readonly isGroup: boolean; readonly source: number }) {
    this.#world = world;
    this.#random = random;
    this.name = what.name;
    this.isGroup = what.isGroup;
    this.#source = what.source;
    this.policy = random() < 0.75 ? policies[0] : policies[1];
    this.isDeleted = random() < 0.6;
  }

  /** Creates it at a random moment, and deletes it: mostly while the driver may be taking it. */
  async act(spanMs: number): Promise<void> {
    const random = this.#random;
    const created = random() * spanMs * 0.7;
    const deletedAfter = random() < 0.7 ? random() * 600 : random() * spanMs * 0.3;
    await systemClock.sleep(created);
    await this.#create();
    if (!this.isDeleted) return;
    await systemClock.sleep(deletedAfter);
    await this.delete();
  }

  async #create(): Promise<void> {
    const className = this.policy.toLowerCase();
    const metadata = inDefault(this.name);
    const { admin } = this.#world.cluster;
    const create = <T extends KubeObject>(resource: Resource<T>, object: T) =>
      insist(() => admin.create(resource, object, requestTimeout), isAlreadyExists);
    if (this.isGroup) {
      const source = { selector: { matchLabels: { set: groupOfClaim(this.#source) } } };
      await create(VolumeGroupSnapshot, { metadata, spec: { source, volumeGroupSnapshotClassName: className } });
    } else {
      const source = { persistentVolumeClaimName: claimName(this.#source) };
      await create(VolumeSnapshot, { metadata, spec: { source, volumeSnapshotClassName: className } });
    }
    const resource: Resource = this.isGroup ? VolumeGroupSnapshot : VolumeSnapshot;
    this.uid = (await insist(() => admin.get(resource, metadata, requestTimeout))).metadata?.uid ?? "";
  }

  async delete(): Promise<void> {
    const resource: Resource = this.isGroup ? VolumeGroupSnapshot : VolumeSnapshot;
    await insist(() => this.#world.cluster.admin.delete(resource, inDefault(this.name), requestTimeout), isNotFound);
  }
}
