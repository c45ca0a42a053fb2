import { waitForCacheSync } from "@csi-sidecars/controller";
import { eventSource } from "../events.ts";
import { readEarlierEvents } from "../read-earlier-events.ts";
import type { NodeContext } from "./node-context.ts";
import { nodeHandler } from "./node-handler.ts";
import { reconcileNode } from "./reconcile-node.ts";
import { reportedOutages } from "./reported-outages.ts";

/** Reports the claims whose pods are on a failed node, until the signal aborts. */
export async function runNodeWatcher(c: NodeContext, signal: AbortSignal): Promise<void> {
  if (!(await waitForCacheSync([c.nodes, c.pods], signal))) return;
  const remembering = rememberReports(c, signal);
  await remembering.tried;
  const handler = c.nodes.addHandler(nodeHandler(c), { name: "health-monitor" });
  if (!(await waitForCacheSync([handler], signal))) return;
  lookForDeletedNodes(c);
  c.log.info("Watching nodes", { outages: c.outages.size });
  await c.controller.run(reconcileNode(c), signal);
  await remembering.done;
}

/** What this process has reported before they could be read is newer. */
function rememberReports(c: NodeContext, signal: AbortSignal): ReturnType<typeof readEarlierEvents> {
  const read = async () => {
    for (const [node, outage] of await reportedOutages({ ...c, source: eventSource(c.driver.name), signal })) {
      const known = c.outages.get(node);
      if (known?.reportedAt !== undefined) continue;
      c.outages.set(node, { ...outage, since: known?.since ?? outage.since });
      c.controller.enqueue(node);
    }
  };
  const failure = "Could not read the events about failed nodes, will be retried: until then only new recoveries are reported";
  return readEarlierEvents(read, { ...c, signal, failure });
}

/**
 * A node may have been deleted while nobody watched: its pods still name it. It counts as failed only when it is still missing after a
 * while, as the cache of nodes may be behind that of pods.
 */
function lookForDeletedNodes({ pods, nodes, controller, notReadyLimitMs }: NodeContext): void {
  for (const { spec } of pods.list()) {
    if (spec?.nodeName && !nodes.get(spec.nodeName)) controller.queue.addAfter(spec.nodeName, notReadyLimitMs);
  }
}
