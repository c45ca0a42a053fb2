import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Pod } from "@csi-sidecars/kube";
import { eventually } from "../eventually.ts";
import { podFolder } from "../kubelet/pod-volumes.ts";
import type { Parts } from "../start-parts.ts";
import type { Step } from "./step.ts";
import { createPod, inDefault, present, runsOn } from "./story-objects.ts";

const podName = "app";
const words = "written by the first pod";

/** What is in a volume belongs to the claim: a pod that comes later finds it. */
export function podReplaced(parts: Parts): Step {
  const file = join(podFolder(parts.pods, inDefault(podName)), "data", "greeting");
  return {
    title: `Write a file into the volume where "${podName}" has it mounted, and replace the pod`,
    async act(signal) {
      await writeFile(file, words);
      await parts.admin.delete(Pod, inDefault(podName));
      const isGone = async () => (await present(parts, Pod, inDefault(podName))) === undefined || undefined;
      await eventually("the end of the first pod", isGone, { signal });
      await createPod(parts, podName, "data");
    },
    expected: "the new pod running, with the file",
    async look() {
      const node = await runsOn(parts, podName);
      return node !== undefined && (await readFile(file, "utf8")) === words ? `the new pod on ${node} has the file` : undefined;
    },
  };
}
