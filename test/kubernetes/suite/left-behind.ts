import { setTimeout as sleep } from "node:timers/promises";
import type { Kubectl } from "../node/kubectl.ts";
import type { TestResult } from "./report.ts";

const kinds = ["persistentvolumes", "volumeattachments", "volumesnapshotcontents", "volumegroupsnapshotcontents"];

/** A failure for each object that sidecars should have deleted with the tests' namespaces, and that is still there after a minute. */
export async function leftBehind(kubectl: Kubectl, limitSeconds = 60): Promise<TestResult[]> {
  const limit = performance.now() + limitSeconds * 1000;
  for (;;) {
    const found = kubectl("get", kinds.join(","), "--all-namespaces", "--output=name").split("\n").filter(Boolean);
    if (found.length === 0 || performance.now() > limit) return found.map(failureOf);
    await sleep(2000);
  }
}

function failureOf(object: string): TestResult {
  return { name: object, outcome: "failed", reason: "the tests left it behind", seconds: 0 };
}
