import { systemClock } from "@csi-sidecars/base";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { type Request, type ScriptedDriver, step } from "@csi-sidecars/testcluster";
import type { World } from "../e2e/testing/world.ts";
import { boundClaim, type ClaimWish, createClaim, deleteClaim } from "./claims.ts";

/** Nothing takes longer, whatever happens to it. */
const limitMs = 90_000;

export interface Rampage extends Sizes {
  /** What the names of the claims begin with. */
  readonly prefix: string;
  /** When half of the claims are deleted: at any moment, or only after they were bound. */
  readonly deletes: "ever" | "bound";
  /** What half of the claims wish for, in turns; the others are plain. */
  readonly wishes: readonly ClaimWish[];
  /** A claim that is deleted when the last one has come, while others may still be filled from it. */
  readonly leaves?: string;
}

/** What is killed, and started again by somebody. */
export interface Mortal {
  kill(): Promise<void>;
}

/**
 * Claims come and every second one goes again, while the process is killed and the API server goes away; resolves with the names of
 * the claims that stay, when the last disturbance is over.
 */
export async function rampage(world: World, mortal: Mortal, random: () => number, plan: Rampage): Promise<ReadonlySet<string>> {
  const { cluster, driver } = world;
  const { claims, kills, cuts, cutMs, deletes } = plan;
  const span = spanMs(plan);
  const begun = performance.now();
  const moment = (ms: number) => systemClock.sleep(Math.max(0, begun + ms - performance.now()));

  const isAskedFor = askedNames(driver);
  const allCame = Promise.withResolvers<void>();
  let toCome = claims;
  const fates = Array.from({ length: claims }, (_, i) => ({
    name: `${plan.prefix}-${i}`,
    // Of each kind one goes and one stays.
    wish: (i % 4 < 2 ? undefined : plan.wishes[Math.floor(i / 4) % plan.wishes.length]) ?? {},
    created: random() * span,
    isKept: i % 2 === 1,
    // Most go while the driver may be making their volume, the others at any time.
    deleted: random() < 0.7 ? { afterAskedMs: random() * 150 } : { afterMs: random() * 3_000 },
  }));
  const live = async ({ name, wish, created, isKept, deleted }: (typeof fates)[number]) => {
    await moment(created);
    const uid = await createClaim(cluster, name, wish);
    if (--toCome === 0) allCame.resolve();
    if (isKept) return;
    if (deletes === "bound") await boundClaim(cluster, name);
    else if (deleted.afterAskedMs !== undefined) await driver.until(`${name} asked for`, () => isAskedFor(`pvc-${uid}`), limitMs);
    await systemClock.sleep(deleted.afterAskedMs ?? deleted.afterMs);
    await deleteClaim(cluster, name);
  };
  const killing = Array.from({ length: kills }, () => ({ calls: Math.ceil((random() * 2 * claims) / kills), more: random() * 40 }));
  const kill = async () => {
    for (const { calls, more } of killing) {
      const before = driver.calls().length;
      // While the API server is away, or before anything could be done, the end comes all the same.
      await driver.until(`${calls} calls`, () => driver.calls().length >= before + calls, 1_500).catch(() => {});
      await systemClock.sleep(more);
      await mortal.kill();
    }
  };
  const away = Array.from({ length: cuts }, (_, i) => ((i + 0.2 + random() * 0.3) / cuts) * span);
  const cut = async () => {
    for (const at of away) {
      await moment(at);
      await cluster.stop("abrupt");
      await systemClock.sleep(cutMs);
      await cluster.start();
    }
  };
  const late = new Set(fates.filter(({ wish }) => wish.node !== undefined).map(({ name }) => name));
  const fill = async () => {
    for (let i = 0; i < claims / 2; i++) {
      await moment((i / (claims / 2)) * span);
      noRoomOnce(driver, i % 4 === 0 ? (claim) => late.has(claim) : () => true);
    }
  };
  const leave = async () => {
    await allCame.promise;
    if (plan.leaves) await deleteClaim(cluster, plan.leaves);
  };
  await Promise.all([...fates.map(live), kill(), cut(), fill(), leave()]);
  return new Set(fates.filter(({ isKept }) => isKept).map(({ name }) => name));
}

/** How much chaos there is; the defaults suit every run of the tests, `CLAIMS=1000 KILLS=50 CUT_MS=10000` a night. */
export interface Sizes {
  readonly claims: number;
  /** How often the process is killed. */
  readonly kills: number;
  /** How often the API server is away, and for how long. */
  readonly cuts: number;
  readonly cutMs: number;
}

export function sizesFrom(env: Readonly<Record<string, string | undefined>>): Sizes {
  const size = (name: string, unlessGiven: number) => Number(env[name] ?? unlessGiven);
  return { claims: size("CLAIMS", 100), kills: size("KILLS", 10), cuts: 2, cutMs: size("CUT_MS", 2_000) };
}

/** How long claims keep coming. */
export function spanMs({ kills }: Sizes): number {
  return Math.max(3_000, kills * 600);
}

/** Tells whether a driver was ever asked to create the volume of a name; looks at each of its calls once. */
export function askedNames(driver: ScriptedDriver): (name: string) => boolean {
  const names = new Set<string>();
  let seen = 0;
  return (name) => {
    const calls = driver.calls();
    for (; seen < calls.length; seen++) {
      const call = calls[seen];
      if (call?.method === "CreateVolume") names.add(call.request.name);
    }
    return names.has(name);
  };
}

const claimName = "csi.storage.k8s.io/pvc/name";

/**
 * Lets the next call for a new volume of such a claim find no room. A volume that is there, or may be in the making, is never denied. The
 * program must be told to name claims (`--extra-create-metadata`).
 */
export function noRoomOnce(driver: ScriptedDriver, isMeant: (claim: string) => boolean): void {
  const answer = (request: Request<"CreateVolume">, carryOut: () => object) => {
    const running = driver.calls("CreateVolume").filter((call) => call.request.name === request.name && call.endedAt === undefined);
    if (driver.volumeNamed(request.name) || running.length > 1) return carryOut();
    if (!isMeant(request.parameters[claimName] ?? "")) {
      noRoomOnce(driver, isMeant);
      return carryOut();
    }
    throw new GrpcError(Code.ResourceExhausted, "no room there");
  };
  driver.script("CreateVolume", step.reply(answer) as never);
}
