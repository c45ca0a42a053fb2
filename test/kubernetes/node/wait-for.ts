import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@csi-sidecars/base";

/** Calls `check` until it does not throw, and returns what it does. After the time limit, throws its last error. */
export async function waitFor<T>(what: string, check: () => T | Promise<T>, limitSeconds = 120): Promise<T> {
  const limit = performance.now() + limitSeconds * 1000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > limit) throw new Error(`${what}: not ready after ${limitSeconds} s: ${messageOf(error)}`);
    }
    await sleep(500);
  }
}
