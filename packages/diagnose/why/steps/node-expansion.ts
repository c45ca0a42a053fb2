import { keyOf, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed, plain } from "../../text.ts";
import { type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { conditionEvidence, conditionOf } from "./claim-conditions.ts";

/** The states in which it is the node's turn to expand a volume. */
const nodeStates = ["NodeResizePending", "NodeResizeInProgress", "NodeResizeInfeasible"] as const;
export type NodeState = (typeof nodeStates)[number];

/** The state of a volume that the node has to expand; `undefined` where it is not the node's turn. */
export function nodeStateOf(claim: V1PersistentVolumeClaim): NodeState | undefined {
  const state = claim.status?.allocatedResourceStatuses?.storage;
  if (!state && conditionOf(claim, "FileSystemResizePending")) return "NodeResizePending";
  return nodeStates.find((each) => each === state);
}

/** What the node waits for, or what kept it from expanding the volume. */
export function nodeStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim, state: NodeState): Step {
  const evidence = conditionOf(claim, "FileSystemResizePending")
    ? conditionEvidence(claim, "FileSystemResizePending")
    : { object: `PersistentVolumeClaim ${refKey(observed.ref)}`, field: "status.allocatedResourceStatuses.storage", value: state };
  const error = conditionOf(claim, "NodeResizeError");
  if (error || state === "NodeResizeInfeasible") {
    const text = plain(error?.message ?? "");
    return step(
      "failed",
      `the node could not expand the file system${text ? `: ${text}` : ""}`,
      [error ? conditionEvidence(claim, "NodeResizeError") : evidence],
      "check the log of the driver's node pod on that node, and the events of the pod that uses the claim",
    );
  }
  const pods = foundIn(observed.pods)?.filter((pod) => pod.spec?.nodeName);
  if (pods?.length === 0) {
    const what = "the file system is expanded when a pod uses the claim, and none does";
    return step("waiting", what, [evidence], "start a pod that uses the claim");
  }
  const starting = pods?.every(({ status }) => status?.phase === "Pending") ? pods[0] : undefined;
  if (starting && state === "NodeResizePending") {
    const what = `the file system is expanded when pod ${keyOf(starting)} starts on ${starting.spec?.nodeName}, which waits itself`;
    return step("waiting", what, [evidence], `see csi-sidecars why pod ${keyOf(starting)}`);
  }
  const where = pods ? ` for ${listed(pods.map((pod) => `pod ${keyOf(pod)} on ${pod.spec?.nodeName}`))}` : "";
  return state === "NodeResizeInProgress"
    ? step(
        "waiting",
        `the kubelet is expanding the file system${where}`,
        [evidence],
        "if it stays so, check the log of the driver's node pod",
      )
    : step(
        "waiting",
        `the kubelet has to expand the file system${where}`,
        [evidence],
        "this takes up to two minutes; some drivers do it only when the pod starts: then restart the pod",
      );
}
