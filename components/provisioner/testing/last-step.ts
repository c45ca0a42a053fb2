import type { DriverClient } from "@csi-sidecars/csi";

/** When a process dies: at its n-th request to the API server or call to the driver, before that takes effect or after. */
export interface LastStep {
  /** The first is 1. */
  readonly nth: number;
  readonly when: "before" | "after";
  /** What was done so far, in order. */
  readonly steps: string[];
}

export function lastStep(nth: number, when: LastStep["when"]): LastStep {
  return { nth, when, steps: [] };
}

/** Takes a step, or dies of it: then it has no result. */
export async function takeStep<R>(
  last: LastStep,
  what: string,
  take: () => Promise<R>,
  die: () => void,
): Promise<{ readonly result: R } | undefined> {
  last.steps.push(what);
  if (last.steps.length !== last.nth) return { result: await take() };
  if (last.when === "after") await take().catch(() => undefined);
  die();
  return undefined;
}

/** A driver whose caller may die of its calls. */
export function mortalCaller(driver: DriverClient, last: LastStep, die: () => void): DriverClient {
  const { createVolume, deleteVolume } = driver.controller;
  async function call<R>(what: string, send: () => Promise<R>): Promise<R> {
    const taken = await takeStep(last, what, send, die);
    if (!taken) throw new Error("the process died of this call");
    return taken.result;
  }
  return {
    ...driver,
    controller: {
      ...driver.controller,
      createVolume: (request, options) => call("CreateVolume", () => createVolume(request, options)),
      deleteVolume: (request, options) => call("DeleteVolume", () => deleteVolume(request, options)),
    },
  };
}
