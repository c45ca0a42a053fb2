import { messageOf } from "@csi-sidecars/base";
import { type LastStep, lastStep } from "./last-step.ts";

/** What can die and be started again. */
export interface Restartable {
  run(): Promise<void>;
  stop(): Promise<void>;
  readonly dead: boolean;
}

/**
 * Lives as often as a life has steps, twice over: each time it ends before or after another one of them, until one comes to its end.
 *
 * ```ts
 * await everyDeath(async (last) => {
 *   await using world = await startWorld({ lastStep: last, stopped: true });
 *   await withRestart(world, () => story(world));
 * });
 * ```
 *
 * `atOnce` lives are lived at the same time; with a `stride` only every so many-th step is the last of one.
 */
export async function everyDeath(live: (last: LastStep) => Promise<void>, { atOnce = 1, stride = 1 } = {}): Promise<void> {
  for (const when of ["before", "after"] as const) {
    for (let nth = 1, isMore = true; isMore; nth += stride * atOnce) {
      const lives = Array.from({ length: atOnce }, async (_, i) => {
        const last = lastStep(nth + i * stride, when);
        await live(last).catch((error: unknown) => {
          throw new Error(`${messageOf(error)}\nsteps: ${toldSteps(last)}`, { cause: error });
        });
        return last.steps.length >= last.nth;
      });
      isMore = (await Promise.all(lives)).every(Boolean);
    }
  }
}

/** Starts what may die, and starts it again when it does, as a kubelet, until the story is told. */
export async function withRestart(mortal: Restartable, tell: () => Promise<void>): Promise<void> {
  let isTold = false;
  const kubelet = async () => {
    await mortal.run();
    while (!isTold && !mortal.dead) await Bun.sleep(2);
    if (isTold) return;
    await mortal.stop();
    await mortal.run();
  };
  const supervised = kubelet();
  try {
    await tell();
  } finally {
    isTold = true;
    await supervised;
  }
}

/** What was done, with the last step of the first life marked. */
function toldSteps({ steps, nth, when }: LastStep): string {
  return steps.map((step, i) => (i + 1 === nth ? `(died ${when}) ${step}` : step)).join(", ");
}
