import type { DriverClient } from "@csi-sidecars/csi";
import type { Client } from "@csi-sidecars/kube";
import type { Method } from "../driver/methods.ts";
import { changesSomething } from "../driver/random-faults.ts";
import { connectionReset, intercepted } from "./intercepted.ts";

/** When a process dies: at its n-th request to the API server or call to the driver, before that takes effect or after. */
export interface LastStep {
  /** The first is 1. */
  readonly nth: number;
  readonly when: "before" | "after";
  /** What was done so far, in order, by this process and those that followed it. */
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

/** A driver whose caller may die of its calls. Calls that change nothing are no steps. */
export function mortalCaller(driver: DriverClient, last: LastStep, die: () => void): DriverClient {
  const calls = Object.entries(driver.controller).map(([key, call]) => {
    const method = `${key.charAt(0).toUpperCase()}${key.slice(1)}` as Method;
    if (!changesSomething(method)) return [key, call];
    const step = async (...args: Parameters<typeof call>) => {
      const taken = await takeStep(last, method, () => (call as (...given: typeof args) => Promise<unknown>)(...args), die);
      if (!taken) throw new Error("the process died of this call");
      return taken.result;
    };
    return [key, step];
  });
  return { ...driver, controller: Object.fromEntries(calls) };
}

/** A client whose process may die of its requests, and whose requests fail once it is dead. */
export function mortalRequests(client: Client, last: LastStep, die: () => void, isDead: () => boolean): Client {
  return intercepted(client, async (verb, resource, send) => {
    if (isDead()) throw connectionReset();
    const taken = await takeStep(last, `${verb} ${resource.plural}`, send, die);
    if (!taken) throw connectionReset();
    return taken.result;
  });
}
