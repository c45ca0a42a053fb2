import { expect, test } from "bun:test";
import { found, type Lookup, missing } from "../../access/read-cluster.ts";
import type { Explanation } from "../explanation.ts";
import type { ObservedNodeVolumes } from "../gather/observed.ts";
import { attachment, driver } from "../testing/objects.ts";
import { explainNode } from "./node.ts";

const ready = { metadata: { name: "n1" }, status: { conditions: [{ type: "Ready", status: "True" }] } };
const withDrivers = (...names: readonly string[]) =>
  found({ metadata: { name: "n1" }, spec: { drivers: names.map((name) => ({ name, nodeID: "id" })) } });
const unreadable = (resource: string): Lookup<never> => ({ state: "unreadable", because: `needs list on ${resource}` });
const observed = (parts: Partial<ObservedNodeVolumes> = {}): ObservedNodeVolumes => ({
  ...{ ref: { name: "n1" }, notes: [] },
  ...{ node: found(ready), csiNode: withDrivers(driver), attachments: found([attachment({ attached: true })]) },
  ...parts,
});

test.each<[string, ObservedNodeVolumes, Explanation["state"], string]>([
  ["is well", observed(), "done", "nothing is waiting: the node is ready, and has the drivers of its 1 attached volume"],
  [
    "has lost the driver",
    observed({ csiNode: withDrivers() }),
    "failed",
    `driver ${driver} is not registered on the node, and has 1 attached volume there`,
  ],
  ["does not exist", observed({ node: missing, attachments: found([]) }), "failed", "does not exist"],
  [
    "has attachments that may not be read",
    observed({ attachments: unreadable("volumeattachments") }),
    "waiting",
    "which volumes are attached to the node, and whether it has their drivers, could not be read",
  ],
  [
    "has drivers that may not be read",
    observed({ csiNode: unreadable("csinodes") }),
    "waiting",
    "whether the node has the drivers of its 1 attached volume could not be read",
  ],
  [
    "has drivers that may not be read, and that no volume needs",
    observed({ csiNode: unreadable("csinodes"), attachments: found([]) }),
    "done",
    "nothing is waiting: the node is ready, and has the drivers of its 0 attached volumes",
  ],
])("a node that %s", (_, given, state, summary) => {
  const answer = explainNode(given);
  expect([answer.state, answer.summary]).toEqual([state, summary]);
});
