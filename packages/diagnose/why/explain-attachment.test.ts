import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { AttachmentFacts } from "./facts.ts";
import { missing, seen, unseen } from "./look.ts";
import { actor, ago, attachment, attachmentFacts, driver, lease, nodeFacts, volume } from "./testing/objects.ts";

type Case = readonly [string, AttachmentFacts, Explanation["state"], string, string?];

const error = (code: string) => ({ message: `rpc error: code = ${code} desc = because`, time: ago(2) });
const detaching = { deletionTimestamp: ago(4), finalizers: [`external-attacher/${driver}`] };
const nowhere = nodeFacts({ node: missing, csiNode: missing });

const cases: readonly Case[] = [
  ["does not exist", attachmentFacts(undefined), "failed", "does not exist"],
  ["is attached", attachmentFacts(attachment({ attached: true })), "done", "nothing is waiting: volume pv-1 is attached to node n1"],
  ["has just been made", attachmentFacts(attachment(undefined)), "waiting", "the attacher has not said anything yet", "many volumes"],
  [
    "no attacher runs",
    attachmentFacts(attachment({ attached: false }), {
      actor: actor({ leases: seen([lease("external-attacher-leader-csi-example-com", 6)]) }),
    }),
    "failed",
    `the attacher of driver ${driver} does not run: host-1 led last and has not renewed its lease for 6m`,
    "namespace storage",
  ],
  [
    "was refused",
    attachmentFacts(attachment({ attached: false, attachError: error("ResourceExhausted") })),
    "failed",
    "attaching failed: the node has as many volumes as the driver allows (ResourceExhausted)",
    "other nodes",
  ],
  [
    "was refused before the driver was asked",
    attachmentFacts(attachment({ attached: false, attachError: { message: 'failed to load secret "ns/s": forbidden' } })),
    "failed",
    'attaching failed: failed to load secret "ns/s": forbidden',
  ],
  [
    "the node lacks the driver",
    attachmentFacts(attachment({ attached: false }), {
      node: nodeFacts({ csiNode: seen({ spec: { drivers: [{ name: "other", nodeID: "x" }] } }) }),
    }),
    "waiting",
    `driver ${driver} is not registered on node n1`,
    "node pod runs on n1",
  ],
  [
    "the node has no CSINode",
    attachmentFacts(attachment({ attached: false }), { node: nodeFacts({ csiNode: missing }) }),
    "waiting",
    `driver ${driver} is not registered on node n1`,
  ],
  [
    "the node is gone",
    attachmentFacts(attachment({ attached: false }), { node: nowhere }),
    "failed",
    "node n1 does not exist any more",
    "delete the pod",
  ],
  [
    "nodes may not be read",
    attachmentFacts(attachment({ attached: false }), { node: nodeFacts({ node: unseen, csiNode: unseen }) }),
    "waiting",
    "the attacher has not said anything yet",
  ],
  ["the volume is gone", attachmentFacts(attachment({ attached: false }), { volume: missing }), "failed", "volume pv-1 does not exist"],
  [
    "the volume is being deleted",
    attachmentFacts(attachment({ attached: false }), { volume: seen(volume({}, {}, { deletionTimestamp: ago(1) })) }),
    "failed",
    "volume pv-1 is being deleted, and is not attached any more",
    "why pv pv-1",
  ],
  [
    "is being detached",
    attachmentFacts(attachment({ attached: true }, detaching)),
    "waiting",
    "the driver is detaching the volume, or will do so soon",
  ],
  [
    "cannot be detached",
    attachmentFacts(attachment({ attached: true, detachError: error("Internal") }, detaching), { node: nowhere }),
    "failed",
    "detaching failed: the driver failed inside (Internal)",
    "log",
  ],
  [
    "is being detached, and its volume is gone",
    attachmentFacts(attachment({ attached: true }, detaching), { volume: missing }),
    "failed",
    "volume pv-1 does not exist any more, so nobody knows what to detach",
    "finalizer",
  ],
  [
    "is being detached, and its node is gone",
    attachmentFacts(attachment({ attached: true }, detaching), { node: nowhere }),
    "waiting",
    "the driver is detaching the volume, or will do so soon",
  ],
  [
    "is detached, and kept by somebody else",
    attachmentFacts(attachment({ attached: false }, { deletionTimestamp: ago(1), finalizers: ["example.com/mine"] })),
    "waiting",
    "it is detached, and the object is kept by example.com/mine",
  ],
];

describe("an attachment", () => {
  for (const [name, facts, state, summary, remedy] of cases) {
    test(name, () => {
      const answer = explain(facts);
      expect([answer.state, answer.summary]).toEqual([state, summary]);
      if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
    });
  }

  test("an error is shown with its time and its own words", () => {
    const { steps } = explain(attachmentFacts(attachment({ attached: false, attachError: error("Internal") })));
    expect(steps.find(({ state }) => state === "failed")?.evidence).toEqual([
      { object: "VolumeAttachment va", field: "status.attachError", value: "rpc error: code = Internal desc = because", since: ago(2) },
    ]);
  });
});
