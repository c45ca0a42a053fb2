import type { Handler } from "@csi-sidecars/kube";
import type { Node } from "../fields.ts";
import type { NodeContext } from "./node-context.ts";
import { healthOf, notReadyForMs } from "./node-health.ts";

/** Enqueues nodes whose health has changed. A heartbeat changes nothing. */
export function nodeHandler(c: NodeContext): Handler<Node> {
  return {
    onAdd(node, { initial }) {
      const { name } = node.metadata;
      const health = healthOf(node);
      if (initial && health === "not-ready") foundDown(node, c);
      if (health !== "ready" || c.outages.has(name)) c.controller.enqueue(name);
    },
    onUpdate(old, node) {
      if (healthOf(old) !== healthOf(node)) c.controller.enqueue(node.metadata.name);
    },
    onDelete({ metadata: { name } }) {
      c.controller.enqueue(name);
    },
  };
}

/**
 * A node that is down when the watch begins has been so since its condition changed, as another machine's clock has it. Later changes
 * are timed by the clock of this process.
 */
function foundDown(node: Node, c: NodeContext): void {
  const since = c.clock.monotonic() - notReadyForMs(node, c.clock.now());
  c.outages.set(node.metadata.name, { told: new Set(), ...c.outages.get(node.metadata.name), since });
}
