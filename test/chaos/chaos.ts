import { systemClock } from "@csi-sidecars/base";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { type Request, type ScriptedDriver, step } from "@csi-sidecars/testcluster";
import type { World } from "../e2e/testing/world.ts";
import { boundClaim, type ClaimOptions, createClaim, deleteClaim } from "./claims.ts";

/** No step takes longer, whatever is disturbed. */
const limitMs = 90_000;

/** What happens in one run of chaos. */
export interface ChaosPlan extends ChaosSize {
  /** The prefix of the names of the claims. */
  readonly prefix: string;
  /** When half of the claims are deleted: at any time, or only after they were bound. */
  readonly deletes: "any time" | "bound";
  /** What half of the claims ask for, in rotation; the others are plain. */
  readonly variants: readonly ClaimOptions[];
  /** A claim that is deleted when the last one is created, while others may still be cloned from it. */
  readonly deletedSource?: string;
}

/** A process that is restarted by its supervisor. */
export interface Killable {
  kill(): Promise<void>;
}

/**
 * Creates claims and deletes every second one, while the process is killed and the API server goes away. Resolves after the last
 * disturbance with the names of the claims that stay.
 */
export async function runChaos(world: World, killable: Killable, random: () => number, plan: ChaosPlan): Promise<ReadonlySet<string>> {
  const { cluster, driver } = world;
  const { claims, kills, cuts, cutMs, deletes } = plan;
  const span = spanMs(plan);
  const begun = performance.now();
  const sleepUntil = (ms: number) => systemClock.sleep(Math.max(0, begun + ms - performance.now()));

  const isCreateCalled = createCalledWith(driver);
  const allCreated = Promise.withResolvers<void>();
  let remaining = claims;
  const planned = Array.from({ length: claims }, (_, i) => ({
    name: `${plan.prefix}-${i}`,
    // Of each variant one is deleted and one stays.
    options: (i % 4 < 2 ? undefined : plan.variants[Math.floor(i / 4) % plan.variants.length]) ?? {},
    created: random() * span,
    isKept: i % 2 === 1,
    // Most are deleted while the driver may be creating their volume, the others at any time.
    deleted: random() < 0.7 ? { afterCreateMs: random() * 150 } : { afterMs: random() * 3_000 },
  }));
  const createAndDelete = async ({ name, options, created, isKept, deleted }: (typeof planned)[number]) => {
    await sleepUntil(created);
    const uid = await createClaim(cluster, name, options);
    if (--remaining === 0) allCreated.resolve();
    if (isKept) return;
    if (deletes === "bound") await boundClaim(cluster, name);
    else if (deleted.afterCreateMs !== undefined)
      await driver.until(`CreateVolume for ${name}`, () => isCreateCalled(`pvc-${uid}`), limitMs);
    await systemClock.sleep(deleted.afterCreateMs ?? deleted.afterMs);
    await deleteClaim(cluster, name);
  };
  const killing = Array.from({ length: kills }, () => ({ calls: Math.ceil((random() * 2 * claims) / kills), more: random() * 40 }));
  const kill = async () => {
    for (const { calls, more } of killing) {
      const before = driver.calls().length;
      // The process is killed even if there are fewer calls, because the API server is away or nothing was created yet.
      await driver.until(`${calls} calls`, () => driver.calls().length >= before + calls, 1_500).catch(() => {});
      await systemClock.sleep(more);
      await killable.kill();
    }
  };
  const outages = Array.from({ length: cuts }, (_, i) => ((i + 0.2 + random() * 0.3) / cuts) * span);
  const cut = async () => {
    for (const at of outages) {
      await sleepUntil(at);
      await cluster.stop("abrupt");
      await systemClock.sleep(cutMs);
      await cluster.start();
    }
  };
  const late = new Set(planned.filter(({ options }) => options.node !== undefined).map(({ name }) => name));
  const runOutOfSpace = async () => {
    for (let i = 0; i < claims / 2; i++) {
      await sleepUntil((i / (claims / 2)) * span);
      failOnceForSpace(driver, i % 4 === 0 ? (claim) => late.has(claim) : () => true);
    }
  };
  const deleteSource = async () => {
    await allCreated.promise;
    if (plan.deletedSource) await deleteClaim(cluster, plan.deletedSource);
  };
  await Promise.all([...planned.map(createAndDelete), kill(), cut(), runOutOfSpace(), deleteSource()]);
  return new Set(planned.filter(({ isKept }) => isKept).map(({ name }) => name));
}

/** How much chaos there is. The defaults are for every test run; `CLAIMS=1000 KILLS=50 CUT_MS=10000` runs for hours. */
export interface ChaosSize {
  readonly claims: number;
  /** How often the process is killed. */
  readonly kills: number;
  /** How often the API server is away, and for how long. */
  readonly cuts: number;
  readonly cutMs: number;
}

export function chaosSize(env: Readonly<Record<string, string | undefined>>): ChaosSize {
  const size = (name: string, defaultValue: number) => Number(env[name] ?? defaultValue);
  return { claims: size("CLAIMS", 100), kills: size("KILLS", 10), cuts: 2, cutMs: size("CUT_MS", 2_000) };
}

/** How long claims are created. */
export function spanMs({ kills }: ChaosSize): number {
  return Math.max(3_000, kills * 600);
}

/** Whether CreateVolume was ever called with a name. Each call of the driver is read once. */
function createCalledWith(driver: ScriptedDriver): (name: string) => boolean {
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
 * Fails the next CreateVolume for a new volume of such a claim with ResourceExhausted. A volume that exists, or may be in creation, is
 * never denied. The program has to pass the names of claims (`--extra-create-metadata`).
 */
function failOnceForSpace(driver: ScriptedDriver, matches: (claim: string) => boolean): void {
  const answer = (request: Request<"CreateVolume">, carryOut: () => object) => {
    const running = driver.calls("CreateVolume").filter((call) => call.request.name === request.name && call.endedAt === undefined);
    if (driver.volumeNamed(request.name) || running.length > 1) return carryOut();
    if (!matches(request.parameters[claimName] ?? "")) {
      failOnceForSpace(driver, matches);
      return carryOut();
    }
    throw new GrpcError(Code.ResourceExhausted, "no space left");
  };
  driver.script("CreateVolume", step.reply(answer) as never);
}
