import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { VolumeFacts } from "./facts.ts";
import { missing, seen } from "./look.ts";
import { actor, ago, attachment, bound, claim, driver, event, lease, volume, volumeFacts } from "./testing/objects.ts";

type Case = readonly [string, VolumeFacts, Explanation["state"], string, string?];

const claimRef = { namespace: "default", name: "data", uid: "claim-uid" };
const grpc = (code: string) => `rpc error: code = ${code} desc = because`;
const released = (more: Partial<VolumeFacts> = {}, spec: Parameters<typeof volume>[0] = {}, metadata: Parameters<typeof volume>[2] = {}) =>
  volumeFacts(volume({ claimRef, ...spec }, { phase: "Released", lastPhaseTransitionTime: ago(7) }, metadata), {
    attachments: seen([]),
    ...more,
  });
const available = (...claims: ReturnType<typeof claim>[]) => volumeFacts(volume(), { pendingClaims: seen(claims) });

const cases: readonly Case[] = [
  ["does not exist", volumeFacts(undefined), "failed", "does not exist"],
  [
    "is bound",
    volumeFacts(volume({ claimRef }, { phase: "Bound" }), { claim: seen(bound()) }),
    "done",
    "nothing is waiting: the volume is Bound",
  ],
  [
    "is bound and being deleted",
    volumeFacts(volume({ claimRef }, { phase: "Bound" }, { deletionTimestamp: ago(1), finalizers: ["kubernetes.io/pv-protection"] }), {
      claim: seen(bound()),
    }),
    "waiting",
    "the volume is being deleted, and kept because claim default/data has it",
    "delete claim default/data",
  ],
  [
    "is kept on purpose",
    released({}, { persistentVolumeReclaimPolicy: "Retain" }),
    "waiting",
    "the volume is kept for you: its reclaim policy is Retain, so nobody deletes it",
    "/spec/claimRef",
  ],
  ["is being deleted by its driver", released(), "waiting", "the driver is deleting the volume, or will do so soon"],
  [
    "is still attached",
    released({
      attachments: seen([attachment({ attached: true })]),
      events: [event("PersistentVolume", "VolumeFailedDelete", "persistentvolume pv-1 is still attached to node n1")],
    }),
    "waiting",
    "the volume is still attached to n1",
    "why volumeattachment va",
  ],
  [
    "cannot be deleted",
    released({ events: [event("PersistentVolume", "VolumeFailedDelete", grpc("FailedPrecondition"))] }),
    "failed",
    "the driver could not delete the volume: the volume is still in use, or has snapshots that must go first (FailedPrecondition)",
    "depends on the volume",
  ],
  [
    "its provisioner may not ask the driver for it",
    released({
      events: [
        event(
          "PersistentVolume",
          "VolumeFailedDelete",
          "the volume is of driver other.example.com, but annotation pv.kubernetes.io/provisioned-by leaves it to x: correct that",
        ),
      ],
    }),
    "failed",
    "the provisioner cannot have the volume deleted: the volume is of driver other.example.com, but annotation pv.kubernetes.io/provisioned-by leaves it to x: correct that",
    "correct the annotation",
  ],
  [
    "one of an in-tree plugin is deleted by the driver that replaced it",
    released(
      {},
      { csi: undefined, gcePersistentDisk: { pdName: "d" } },
      { annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/gce-pd", "pv.kubernetes.io/migrated-to": driver } },
    ),
    "waiting",
    "the driver is deleting the volume, or will do so soon",
  ],
  [
    "one of an in-tree plugin that nothing replaced",
    released({ actor: undefined }, { csi: undefined, nfs: { server: "s", path: "/" } }),
    "waiting",
    "the volume is not one of a CSI driver: its own plugin has to delete it",
  ],
  [
    "nobody deletes it",
    released({ actor: actor({ leases: seen([lease("csi-example-com", 3)]) }) }),
    "failed",
    `the provisioner of driver ${driver} does not run: host-1 led last and has not renewed its lease for 3m`,
  ],
  [
    "a Retain volume whose object was deleted is kept by the attacher",
    released({}, { persistentVolumeReclaimPolicy: "Retain" }, { deletionTimestamp: ago(1), finalizers: [`external-attacher/${driver}`] }),
    "waiting",
    `the PersistentVolume object is being deleted, and kept by external-attacher/${driver} (a VolumeAttachment names the volume, or the attacher does not run)`,
  ],
  [
    "its provisioner is done with it, and somebody else keeps it",
    released({}, {}, { deletionTimestamp: ago(1), finalizers: ["example.com/backup"] }),
    "waiting",
    "the PersistentVolume object is being deleted, and kept by example.com/backup",
    "see to the controller that set this finalizer",
  ],
  [
    "failed",
    volumeFacts(volume({ claimRef }, { phase: "Failed", message: "no deleter" })),
    "failed",
    "the volume could not be reclaimed: no deleter",
  ],
  [
    "is free and being deleted, and its provisioner deletes only what a claim has had",
    volumeFacts(
      volume(
        {},
        { phase: "Available" },
        { deletionTimestamp: ago(1), finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"] },
      ),
    ),
    "waiting",
    "the volume is being deleted, and kept by external-provisioner.volume.kubernetes.io/finalizer",
    "persistentVolumeReclaimPolicy to Retain",
  ],
  [
    "failed and being deleted by somebody's controller",
    volumeFacts(
      volume({ claimRef }, { phase: "Failed", message: "no deleter" }, { deletionTimestamp: ago(1), finalizers: ["example.com/backup"] }),
    ),
    "failed",
    "the volume could not be reclaimed: no deleter",
  ],
  ["was never looked at", volumeFacts(volume({}, {})), "waiting", "the cluster has not looked at the volume yet"],
  ["is free, and nobody asks", available(), "waiting", "no claim has the volume, and none is waiting for one", "create a claim"],
  ["is free, and a claim fits", available(claim()), "waiting", "claim default/data fits, and has yet to be bound", "why pvc default/data"],
  [
    "is free, and no claim fits",
    available(claim({ resources: { requests: { storage: "5Gi" } }, accessModes: ["ReadWriteMany"] }), claim({ storageClassName: "slow" })),
    "waiting",
    "no waiting claim fits the volume; nearest is default/data: its class is fast, wanted slow",
  ],
  [
    "is kept for a claim that does not exist",
    volumeFacts(volume({ claimRef: { namespace: "default", name: "data" } }), { claim: missing }),
    "waiting",
    "the volume is kept for claim default/data, which does not exist",
    "remove spec.claimRef",
  ],
];

describe("a volume", () => {
  for (const [name, facts, state, summary, remedy] of cases) {
    test(name, () => {
      const answer = explain(facts);
      expect([answer.state, answer.summary]).toEqual([state, summary]);
      if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
    });
  }

  test("whoever let the lease go after their last word does not run; who spoke later leads elsewhere", () => {
    const told = (letGo: number) =>
      explain(
        released({
          actor: actor({ leases: seen([lease("csi-example-com", letGo, "")]) }),
          events: [event("PersistentVolume", "VolumeFailedDelete", grpc("Internal"), 3)],
        }),
      ).steps.some(({ what }) => what.includes("does not run now: its lease has no holder"));
    expect([told(2), told(6)]).toEqual([true, false]);
  });

  test("on its way out: every step in its order", () => {
    const facts = released(
      { attachments: seen([attachment({ attached: true }, { deletionTimestamp: ago(3) })]) },
      {},
      { deletionTimestamp: ago(2), finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"] },
    );
    expect(explain(facts).steps.map(({ state, what }) => `${state}: ${what}`)).toEqual([
      "done: claim default/data, which had the volume, is gone",
      "done: the volume is to be deleted: its reclaim policy is Delete",
      "waiting: the volume is still attached to n1",
      `done: the provisioner of driver ${driver} runs: host-1 leads`,
      "not yet: the volume is deleted in the storage",
      "waiting: the PersistentVolume object is being deleted, and kept by external-provisioner.volume.kubernetes.io/finalizer (the volume in the storage is not deleted yet)",
    ]);
  });
});
