import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { PodFacts } from "./facts.ts";
import { missing, seen } from "./look.ts";
import { attachment, attachmentFacts, bound, claim, claimFacts, event, now, pod, volume } from "./testing/objects.ts";

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
