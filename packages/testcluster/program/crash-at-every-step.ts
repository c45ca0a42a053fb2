import { messageOf } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client } from "@csi-sidecars/kube";
import { changesSomething, type Method } from "../driver/methods.ts";
import { connectionReset, interceptedClient } from "./intercepted-client.ts";

/** When a process crashes: at its n-th request to the API server or call to the driver, before that takes effect or after. */
export interface CrashPoint {
  /** The first is 1. */
  readonly nth: number;
  readonly when: "before" | "after";
  /** The steps so far, in order, of this process and those that followed it. */
  readonly steps: string[];
}

/** A process that can crash and be started again. */
export interface Restartable {
  run(): Promise<void>;
  stop(): Promise<void>;
  readonly dead: boolean;
}

/**
 * Runs a scenario again and again: each run crashes before or after another one of its steps, until a run has fewer steps than that.
 *
 * ```ts
 * await crashAtEveryStep(async (crashPoint) => {
 *   await using world = await startWorld({ crashPoint, stopped: true });
 *   await withRestart(world, () => scenario(world));
 * });
 * ```
 *
 * `atOnce` runs go in parallel; with a `stride` only every so many-th step is crashed at, beginning with one that the `seed` chooses.
 */
export async function crashAtEveryStep(
  scenario: (point: CrashPoint) => Promise<void>,
  { atOnce = 1, stride = 1, seed = Number(process.env.SEED ?? 0) } = {},
): Promise<void> {
  for (const when of ["before", "after"] as const) {
    for (let nth = 1 + (seed % stride), isMore = true; isMore; nth += stride * atOnce) {
      const runs = Array.from({ length: atOnce }, async (_, i) => {
        const point: CrashPoint = { nth: nth + i * stride, when, steps: [] };
        await scenario(point).catch((error: unknown) => {
          throw new Error(`${messageOf(error)}\nsteps: ${stepsText(point)}`, { cause: error });
        });
        if (point.steps.length === 0) throw new Error("the scenario took no step: its process does not use the crash point");
        return point.steps.length >= point.nth;
      });
      // All of them end before one of them fails the test: they have processes and sockets.
      await Promise.allSettled(runs);
      isMore = (await Promise.all(runs)).every(Boolean);
    }
  }
}

/** Starts a process and restarts it once after a crash, as kubelet does, until the scenario is over. */
export async function withRestart(process: Restartable, scenario: () => Promise<void>): Promise<void> {
  let isOver = false;
  const kubelet = async () => {
    await process.run();
    while (!isOver && !process.dead) await Bun.sleep(2);
    if (isOver) return;
    await process.stop();
    await process.run();
  };
  const supervised = kubelet();
  try {
    // A process that cannot be started is told at once: the scenario would wait for it in vain.
    await Promise.race([scenario(), supervised.then(() => new Promise<never>(() => {}))]);
  } finally {
    isOver = true;
    await supervised;
  }
}

/** Takes a step, or crashes at it: then there is no result. */
export async function stepOrCrash<R>(
  point: CrashPoint,
  what: string,
  take: () => Promise<R>,
  crash: () => void,
): Promise<{ readonly result: R } | undefined> {
  point.steps.push(what);
  if (point.steps.length !== point.nth) return { result: await take() };
  if (point.when === "after") await take().catch(() => undefined);
  crash();
  return undefined;
}

/** A driver whose caller may crash at a call of the controller or group controller service. Calls that change nothing are no steps. */
export function crashingDriver(driver: DriverClient, point: CrashPoint, crash: () => void): DriverClient {
  const crashing = <S extends object>(service: S): S => {
    const calls = Object.entries(service).map(([key, call]) => {
      const method = `${key.charAt(0).toUpperCase()}${key.slice(1)}` as Method;
      if (!changesSomething(method)) return [key, call];
      const step = async (...args: unknown[]) => {
        const taken = await stepOrCrash(point, method, () => (call as (...given: unknown[]) => Promise<unknown>)(...args), crash);
        if (!taken) throw new Error("the process crashed at this call");
        return taken.result;
      };
      return [key, step];
    });
    return Object.fromEntries(calls);
  };
  return { ...driver, controller: crashing(driver.controller), groupController: crashing(driver.groupController) };
}

/** A client whose process may crash at a request, and whose requests fail once it has crashed. */
export function crashingClient(client: Client, point: CrashPoint, crash: () => void, hasCrashed: () => boolean): Client {
  return interceptedClient(client, async (verb, resource, send) => {
    if (hasCrashed()) throw connectionReset();
    const taken = await stepOrCrash(point, `${verb} ${resource.plural}`, send, crash);
    if (!taken) throw connectionReset();
    return taken.result;
  });
}

/** The steps in order, with the crash marked. */
function stepsText({ steps, nth, when }: CrashPoint): string {
  return steps.map((step, i) => (i + 1 === nth ? `(crashed ${when}) ${step}` : step)).join(", ");
}
