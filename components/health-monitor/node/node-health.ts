import type { Node } from "../fields.ts";

/** How a node is; `unknown` as long as nobody has said whether it is ready. */
export type NodeHealth = "ready" | "not-ready" | "terminated" | "deleted" | "unknown";

/** How a node is, by what its kubelet and the node controller write; `undefined` is one that does not exist. */
export function healthOf(node: Node | undefined): NodeHealth {
  if (!node) return "deleted";
  const ready = readyConditions(node);
  if (ready.some(({ status }) => status === "True")) return "ready";
  if (node.status?.phase === "Terminated") return "terminated";
  return ready.length > 0 ? "not-ready" : "unknown";
}

/** For how many milliseconds a node has not been ready, by its own account; 0 where that says nothing, or is in the future. */
export function notReadyForMs(node: Node, now: number): number {
  const since = Date.parse(readyConditions(node).find(({ status }) => status !== "True")?.lastTransitionTime ?? "");
  return Number.isNaN(since) ? 0 : Math.max(0, now - since);
}

function readyConditions({ status }: Node) {
  return (status?.conditions ?? []).filter(({ type }) => type === "Ready");
}
