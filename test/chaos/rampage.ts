import { systemClock } from "@csi-sidecars/base";
import type { World } from "../e2e/world.ts";
import { boundClaim, createClaim, deleteClaim } from "./claims.ts";
import { type Sizes, spanMs } from "./sizes.ts";
import type { SupervisedSidecar } from "./supervised-sidecar.ts";

export interface Rampage extends Sizes {
  /** What the names of the claims begin with. */
  readonly prefix: string;
  /** When half of the claims are deleted: at any moment, or only after they were bound. */
  readonly deletes: "ever" | "bound";
}

/**
 * Claims come and every second one goes again, while the process is killed and the API server goes away; resolves with the names of
 * the claims that stay, when the last disturbance is over.
 */
export async function rampage(world: World, sidecar: SupervisedSidecar, random: () => number, plan: Rampage): Promise<ReadonlySet<string>> {
  const { cluster, driver } = world;
  const { claims, kills, cuts, cutMs, deletes } = plan;
  const span = spanMs(plan);
  const begun = performance.now();
  const moment = (ms: number) => systemClock.sleep(Math.max(0, begun + ms - performance.now()));

  const fates = Array.from({ length: claims }, (_, i) => {
    const created = random() * span;
    // Most go while they are young: that is when something is under way for them.
    return { name: `${plan.prefix}-${i}`, created, deleted: i % 2 === 0 ? created + random() ** 2 * 3_000 : undefined };
  });
  const live = async ({ name, created, deleted }: (typeof fates)[number]) => {
    await moment(created);
    await createClaim(cluster, name);
    if (deleted === undefined) return;
    if (deletes === "bound") await boundClaim(cluster, name);
    await moment(deleted);
    await deleteClaim(cluster, name);
  };
  const killing = Array.from({ length: kills }, () => ({ calls: Math.ceil((random() * 3 * claims) / kills), more: random() * 40 }));
  const kill = async () => {
    for (const { calls, more } of killing) {
      const before = driver.calls().length;
      // While the API server is away, or before anything could be done, the end comes all the same.
      await driver.until(`${calls} calls`, () => driver.calls().length >= before + calls, 1_200).catch(() => {});
      await systemClock.sleep(more);
      await sidecar.kill();
    }
  };
  const away = Array.from({ length: cuts }, (_, i) => ((i + 0.3 + random() * 0.4) / cuts) * span);
  const cut = async () => {
    for (const at of away) {
      await moment(at);
      await cluster.stop("abrupt");
      await systemClock.sleep(cutMs);
      await cluster.start();
    }
  };
  await Promise.all([...fates.map(live), kill(), cut()]);
  return new Set(fates.filter(({ deleted }) => deleted === undefined).map(({ name }) => name));
}
