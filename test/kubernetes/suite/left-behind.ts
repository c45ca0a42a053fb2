import { setTimeout as sleep } from "node:timers/promises";
import { driverData } from "../deploy/driver-data.ts";
import type { TestResult } from "./report.ts";

const kinds = ["persistentvolumes", "volumeattachments", "volumesnapshotcontents", "volumegroupsnapshotcontents"];

/** A failure for each object and for each of the driver's data that should have been deleted with the tests' namespaces, and that is still there after a minute. */
export async function leftBehind(
  kubectl: (...args: string[]) => string,
  data: () => string[] = driverData,
  limitSeconds = 60,
): Promise<TestResult[]> {
  const limit = performance.now() + limitSeconds * 1000;
  for (;;) {
    const objects = kubectl("get", kinds.join(","), "--all-namespaces", "--output=name").split("\n").filter(Boolean);
    const found = [...objects, ...data().map((name) => `data of the driver: ${name}`)];
    if (found.length === 0 || performance.now() > limit) return found.map(failureOf);
    await sleep(2000);
  }
}

function failureOf(found: string): TestResult {
  return { name: found, outcome: "failed", reason: "the tests left it behind", seconds: 0 };
}
