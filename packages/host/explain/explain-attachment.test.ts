import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { AttachmentFacts, PodFacts } from "./facts.ts";
import { missing, seen, unseen } from "./look.ts";
import {
  actor,
  ago,
  attachment,
  attachmentFacts,
  bound,
  claim,
  claimFacts,
  driver,
  event,
  lease,
  nodeFacts,
  now,
  pod,
  volume,
} from "./testing/objects.ts";

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

describe("a pod", () => {
  const facts = (parts: Partial<PodFacts> = {}): PodFacts => ({
    kind: "pod",
    ref: { namespace: "default", name: "app" },
    now,
    unseen: [],
    events: [],
    pod: seen(pod({ nodeName: "n1" })),
    claims: [claimFacts(bound(), { volume: seen(volume()) })],
    attachments: [],
    unattached: [],
    ...parts,
  });
  const unscheduled = pod({}, { conditions: [{ type: "PodScheduled", status: "False", message: "no node fits" }] });
  const waitsForClass = claimFacts(claim(), { storageClass: missing });

  test.each<[string, PodFacts, Explanation["state"], string]>([
    ["does not exist", facts({ pod: missing }), "failed", "does not exist"],
    ["has all its volumes", facts(), "done", "nothing is waiting: the pod's volumes are bound and attached"],
    ["uses no claims", facts({ claims: [] }), "done", "nothing is waiting: the pod uses no claims"],
    [
      "waits for a claim",
      facts({ claims: [waitsForClass] }),
      "failed",
      "PersistentVolumeClaim default/data: the claim names class fast, which does not exist",
    ],
    [
      "waits for an attachment",
      facts({ attachments: [attachmentFacts(attachment(undefined))] }),
      "waiting",
      "VolumeAttachment va: the attacher has not said anything yet",
    ],
    [
      "waits for somebody to ask for an attachment",
      facts({ unattached: [{ volume: "pv-1", elsewhere: [] }] }),
      "waiting",
      "volume pv-1 has to be attached to node n1, and nobody has asked for that yet",
    ],
    [
      "waits for another node to let go",
      facts({ unattached: [{ volume: "pv-1", elsewhere: ["n2"] }] }),
      "waiting",
      "volume pv-1 has to be attached to node n1, and is still attached to n2",
    ],
    [
      "cannot mount",
      facts({ events: [event("Pod", "FailedMount", "MountVolume.SetUp failed: no such device")] }),
      "failed",
      "mounting failed: MountVolume.SetUp failed: no such device",
    ],
    [
      "could not mount once, and is past that",
      facts({ events: [event("Pod", "FailedMount", "old", 9), event("Pod", "Pulling", "Pulling image", 2)] }),
      "done",
      "nothing is waiting: the pod's volumes are bound and attached",
    ],
    [
      "names a claim that is not there",
      facts({ pod: seen(pod({}, { phase: "Pending" })), claims: [claimFacts(undefined)] }),
      "failed",
      "PersistentVolumeClaim default/data: does not exist",
    ],
    [
      "could not mount once, and runs",
      facts({ pod: seen(pod({ nodeName: "n1" }, { phase: "Running" })), events: [event("Pod", "FailedMount", "old")] }),
      "done",
      "nothing is waiting: the pod's volumes are bound and attached",
    ],
    ["waits for a node", facts({ pod: seen(unscheduled) }), "waiting", "the pod has no node: no node fits"],
    [
      "waits for a node, as events alone tell",
      facts({ pod: seen(pod({})), claims: [], events: [event("Pod", "FailedScheduling", "0/2 nodes are available")] }),
      "waiting",
      "the pod has no node: 0/2 nodes are available",
    ],
    [
      "has not been looked at by a scheduler",
      facts({ pod: seen(pod({})) }),
      "waiting",
      "the scheduler has yet to choose a node for the pod",
    ],
    [
      "ended without a node",
      facts({ pod: seen(pod({}, { phase: "Failed" })), claims: [] }),
      "done",
      "nothing is waiting: the pod uses no claims",
    ],
  ])("%s", (_, given, state, summary) => {
    const answer = explain(given);
    expect([answer.state, answer.summary]).toEqual([state, summary]);
  });

  test("what to do about a claim that is not there", () => {
    const { steps } = explain(facts({ pod: seen(pod({}, { phase: "Pending" })), claims: [claimFacts(undefined)] }));
    expect(steps[0]?.remedy).toBe("create claim default/data, or name another one in the volumes of the pod");
    const ephemeral = pod({ volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] });
    const own = claimFacts(undefined, { ref: { namespace: "default", name: "app-v" } });
    expect(explain(facts({ pod: seen(ephemeral), claims: [own] })).steps[0]?.remedy).toBe(
      "kube-controller-manager makes it for the pod: look whether it runs, and at the events of the pod",
    );
  });
});
