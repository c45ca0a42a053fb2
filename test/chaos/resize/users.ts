import { bytesOf, systemClock } from "@csi-sidecars/base";
import { mergePatch, PersistentVolumeClaim, StatusError } from "@csi-sidecars/kube";
import type { World } from "../../e2e/testing/world.ts";
import { inDefault, requestTimeout } from "../claims.ts";
import { insist } from "../insist.ts";
import { addClaim, addVolume, readClaim, removeClaim } from "./claims.ts";
import type { History } from "./history.ts";
import type { Pods } from "./pods.ts";
import { bytes, size, sizes, tiers } from "./storage.ts";

/** What users have around them. */
export interface Surroundings {
  readonly world: World;
  readonly history: History;
  readonly pods: Pods;
  readonly random: () => number;
}

/** The user of one claim, who does something to it at random times, and in the end settles for a size and a class that are possible. */
export class ClaimUser {
  readonly name: string;
  readonly #around: Surroundings;
  #generation = 1;
  /** The volume of the claim. */
  volume = "";
  /** What was done, by kind; refused by the API server where it begins with `no`. */
  readonly done: string[] = [];

  constructor(name: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
  }

  async begin(): Promise<void> {
    this.volume = await addVolume(this.#around.world, this.name, this.#generation);
    await addClaim(this.#around.world, this.name, this.volume);
  }

  /** Acts a few times until the time is over. */
  async actAtRandom(spanMs: number): Promise<void> {
    const { random } = this.#around;
    const begun = performance.now();
    const times = Array.from({ length: 2 + Math.floor(random() * 5) }, () => random() * spanMs).sort((a, b) => a - b);
    for (const at of times) {
      await systemClock.sleep(Math.max(0, begun + at - performance.now()));
      await this.#act(random());
    }
  }

  /** Asks for what is possible, and makes sure that it has to be done: nothing has been of that size, and the class is another one. */
  async settle(): Promise<void> {
    const { random, world } = this.#around;
    const [least, most] = sizes.final;
    await this.#request(size(between(random, least, most)));
    const { status } = await readClaim(world.cluster.admin, this.name);
    await this.#name(
      pick(
        random,
        tiers.feasible.filter((tier) => tier !== status?.currentVolumeAttributesClassName),
      ),
    );
  }

  async #act(roll: number): Promise<void> {
    const { random, pods } = this.#around;
    if (roll < 0.4) await this.#wish(random() < 0.5);
    else if (roll < 0.7) await this.#name(this.#randomTier());
    else if (roll < 0.75) await this.#recreate(random() < 0.5);
    else if (pods.has(this.name)) await pods.end(this.name);
    else await pods.run(this.name);
  }

  /** Another size: larger or smaller than the last one, but more than the claim has. */
  async #wish(isInfeasible: boolean): Promise<void> {
    const { random, world } = this.#around;
    const [least, most] = isInfeasible ? sizes.infeasible : sizes.wished;
    const { status } = await readClaim(world.cluster.admin, this.name);
    const wished = between(random, least, most);
    if (bytes(wished) > bytesOf(String(status?.capacity?.storage))) await this.#request(size(wished));
  }

  #randomTier(): string | null {
    const { random } = this.#around;
    const roll = random();
    if (roll < 0.25) return tiers.refused;
    if (roll < 0.35) return tiers.late;
    return roll < 0.5 ? null : pick(random, tiers.feasible);
  }

  #request(storage: string): Promise<void> {
    return this.#patch("size", { resources: { requests: { storage } } });
  }

  #name(volumeAttributesClassName: string | null): Promise<void> {
    return this.#patch("class", { volumeAttributesClassName });
  }

  async #patch(kind: "size" | "class", spec: object): Promise<void> {
    const { world, history } = this.#around;
    const patch = () => world.cluster.admin.patch(PersistentVolumeClaim, inDefault(this.name), mergePatch({ spec }), requestTimeout);
    await history
      .reason(kind, this.name, () => insist(patch))
      .then(
        () => this.done.push(kind),
        (error: unknown) => {
          // It has grown meanwhile, or its class cannot be taken away any more.
          if (!(error instanceof StatusError) || (error.status.code !== 403 && error.status.code !== 422)) throw error;
          this.done.push(`no ${kind}`);
        },
      );
  }

  /** Deletes the claim and creates it anew, for its old volume or a new one. */
  async #recreate(keepsVolume: boolean): Promise<void> {
    const { world, history, pods } = this.#around;
    await pods.end(this.name);
    await history.reason("recreated", this.name, async () => {
      await removeClaim(world, this.name);
      if (!keepsVolume) this.volume = await addVolume(world, this.name, ++this.#generation);
      await addClaim(world, this.name, this.volume);
    });
    this.done.push("recreated");
  }
}

function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function pick<T>(random: () => number, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
