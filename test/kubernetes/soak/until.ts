import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@csi-sidecars/base";
import { WrongData } from "./wrong-data.ts";

/** Longer than any outage that the soak causes, and than the longest pause between retries of what fails meanwhile. */
const limitMs = 6 * 60_000;

/** Asks until the answer is true; errors are those of an API server that was killed. */
export async function until(what: string, ask: () => Promise<boolean | undefined>): Promise<void> {
  const limit = performance.now() + limitMs;
  let last = "not yet";
  while (performance.now() < limit) {
    try {
      if (await ask()) return;
    } catch (error) {
      if (error instanceof WrongData) throw error;
      last = messageOf(error);
    }
    await sleep(500);
  }
  throw new Error(`waited ${limitMs / 60_000} minutes for ${what}: ${last}`);
}
