import { describe, expect, test } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import type { Explanation } from "../explanation.ts";
import type { ObservedAttachment } from "../gather/observed.ts";
import { ago, attachment, driver, installed, lease, observedAttachment, observedNode, volume } from "../testing/objects.ts";
import { explainAttachment } from "./attachment.ts";

type Case = readonly [string, ObservedAttachment, Explanation["state"], string, string?];

const error = (code: string) => ({ message: `rpc error: code = ${code} desc = because`, time: ago(2) });
const detaching = { deletionTimestamp: ago(4), finalizers: [`external-attacher/${driver}`] };
const nowhere = observedNode({ node: missing, csiNode: missing });

const cases: readonly Case[] = [
  ["does not exist", observedAttachment(undefined), "failed", "does not exist"],
  ["is attached", observedAttachment(attachment({ attached: true })), "done", "nothing is waiting: volume pv-1 is attached to node n1"],
  [
    "has just been created",
    observedAttachment(attachment(undefined)),
    "waiting",
    "the attacher has not reported anything yet",
    "many volumes",
  ],
  [
    "no attacher runs",
    observedAttachment(attachment({ attached: false }), {
      driver: installed({ leases: found([lease("external-attacher-leader-csi-example-com", 6)]) }),
    }),
    "failed",
    `the attacher of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 6m`,
    "namespace storage",
  ],
  [
    "was refused",
    observedAttachment(attachment({ attached: false, attachError: error("ResourceExhausted") })),
    "failed",
    "attaching volume pv-1 to node n1 failed: the node has as many volumes as the driver allows (ResourceExhausted)",
    "other nodes",
  ],
  [
    "was refused before the driver was asked",
    observedAttachment(attachment({ attached: false, attachError: { message: 'failed to load secret "ns/s": forbidden' } })),
    "failed",
    'attaching volume pv-1 to node n1 failed: failed to load secret "ns/s": forbidden',
  ],
  [
    "the node lacks the driver",
    observedAttachment(attachment({ attached: false }), {
      node: observedNode({ csiNode: found({ spec: { drivers: [{ name: "other", nodeID: "x" }] } }) }),
    }),
    "waiting",
    `driver ${driver} is not registered on node n1`,
    "node pod runs on n1",
  ],
  [
    "the node has no CSINode",
    observedAttachment(attachment({ attached: false }), { node: observedNode({ csiNode: missing }) }),
    "waiting",
    `driver ${driver} is not registered on node n1`,
  ],
  [
    "the node is gone",
    observedAttachment(attachment({ attached: false }), { node: nowhere }),
    "failed",
    "node n1 does not exist any more",
    "delete the pod",
  ],
  [
    "nodes may not be read",
    observedAttachment(attachment({ attached: false }), { node: observedNode({ node: unreadable, csiNode: unreadable }) }),
    "waiting",
    "the attacher has not reported anything yet",
  ],
  ["the volume is gone", observedAttachment(attachment({ attached: false }), { volume: missing }), "failed", "volume pv-1 does not exist"],
  [
    "the volume is being deleted",
    observedAttachment(attachment({ attached: false }), { volume: found(volume({}, {}, { deletionTimestamp: ago(1) })) }),
    "failed",
    "volume pv-1 is being deleted, so it is not attached",
    "why pv pv-1",
  ],
  [
    "is being detached",
    observedAttachment(attachment({ attached: true }, detaching)),
    "waiting",
    "the driver is detaching the volume, or the next attempt is due soon",
  ],
  [
    "cannot be detached",
    observedAttachment(attachment({ attached: true, detachError: error("Internal") }, detaching), { node: nowhere }),
    "failed",
    "detaching volume pv-1 from node n1 failed: the driver failed with an internal error (Internal)",
    "log",
  ],
  [
    "is being detached, and its volume is gone",
    observedAttachment(attachment({ attached: true }, detaching), { volume: missing }),
    "failed",
    "volume pv-1 does not exist any more, so its volume handle is unknown",
    "finalizer",
  ],
  [
    "is being detached, and its node is gone",
    observedAttachment(attachment({ attached: true }, detaching), { node: nowhere }),
    "waiting",
    "the driver is detaching the volume, or the next attempt is due soon",
  ],
  [
    "is detached, and is kept by somebody else",
    observedAttachment(attachment({ attached: false }, { deletionTimestamp: ago(1), finalizers: ["example.com/mine"] })),
    "waiting",
    "it is detached, and the object is kept by example.com/mine",
  ],
];

describe("an attachment", () => {
  for (const [name, observed, state, summary, remedy] of cases) {
    test(name, () => {
      const answer = explainAttachment(observed);
      expect([answer.state, answer.summary]).toEqual([state, summary]);
      if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
    });
  }

  test("a node without CSINode, and one without drivers", () => {
    const evidence = (csiNode: NonNullable<ObservedAttachment["node"]>["csiNode"]) =>
      explainAttachment(observedAttachment(attachment({ attached: false }), { node: observedNode({ csiNode }) })).steps[0]?.evidence[0];
    expect(evidence(missing)).toEqual({ object: "CSINode n1", field: "metadata.name", value: "not found" });
    expect(evidence(found({ spec: { drivers: [] } }))).toEqual({ object: "CSINode n1", field: "spec.drivers", value: "none" });
  });

  test("an error is shown with its time and message", () => {
    const { steps } = explainAttachment(observedAttachment(attachment({ attached: false, attachError: error("Internal") })));
    expect(steps.find(({ state }) => state === "failed")?.evidence).toEqual([
      { object: "VolumeAttachment va", field: "status.attachError", value: "rpc error: code = Internal desc = because", at: ago(2) },
    ]);
  });
});
