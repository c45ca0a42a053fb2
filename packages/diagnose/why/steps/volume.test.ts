import { describe, expect, test } from "bun:test";
import { found, missing } from "../../access/read-cluster.ts";
import type { Explanation } from "../explanation.ts";
import type { ObservedVolume } from "../gather/observed.ts";
import { ago, attachment, bound, claim, driver, event, installed, lease, observedVolume, volume } from "../testing/objects.ts";
import { secretUnreadable, stillAttached } from "../testing/sidecars.ts";
import { explainVolume } from "./volume.ts";

type Case = readonly [string, ObservedVolume, Explanation["state"], string, string?];

const claimRef = { namespace: "default", name: "data", uid: "claim-uid" };
const grpc = (code: string) => `rpc error: code = ${code} desc = because`;
const released = (
  more: Partial<ObservedVolume> = {},
  spec: Parameters<typeof volume>[0] = {},
  metadata: Parameters<typeof volume>[2] = {},
) =>
  observedVolume(volume({ claimRef, ...spec }, { phase: "Released", lastPhaseTransitionTime: ago(7) }, metadata), {
    attachments: found([]),
    ...more,
  });
const available = (...claims: ReturnType<typeof claim>[]) => observedVolume(volume(), { pendingClaims: found(claims) });

const cases: readonly Case[] = [
  ["does not exist", observedVolume(undefined), "failed", "does not exist"],
  [
    "is bound",
    observedVolume(volume({ claimRef }, { phase: "Bound" }), { claim: found(bound()) }),
    "done",
    "nothing is waiting: the volume is Bound",
  ],
  [
    "is bound and being deleted",
    observedVolume(volume({ claimRef }, { phase: "Bound" }, { deletionTimestamp: ago(1), finalizers: ["kubernetes.io/pv-protection"] }), {
      claim: found(bound()),
    }),
    "waiting",
    "the volume is being deleted, and is kept because it is bound to claim default/data",
    'first kubectl patch pv pv-1 -p \'{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}\'; the object goes when claim default/data is deleted',
  ],
  [
    "is kept on purpose",
    released({}, { persistentVolumeReclaimPolicy: "Retain" }),
    "waiting",
    "the volume is kept: its reclaim policy is Retain",
    "/spec/claimRef",
  ],
  ["is being deleted by its driver", released(), "waiting", "the driver is deleting the volume, or the next attempt is due soon"],
  [
    "is still attached",
    released({
      attachments: found([attachment({ attached: true })]),
      events: [event("PersistentVolume", "VolumeFailedDelete", stillAttached("n1"))],
    }),
    "waiting",
    "the volume is still attached to n1",
    "why volumeattachment va",
  ],
  [
    "cannot be deleted",
    released({ events: [event("PersistentVolume", "VolumeFailedDelete", grpc("FailedPrecondition"))] }),
    "failed",
    "the volume could not be deleted: the volume is still in use, or has snapshots that must be deleted first (FailedPrecondition)",
    "depends on the volume",
  ],
  [
    "its provisioner may not ask the driver for it",
    released({
      events: [event("PersistentVolume", "VolumeFailedDelete", secretUnreadable("s", "not found"))],
    }),
    "failed",
    `the volume could not be deleted: ${secretUnreadable("s", "not found")}`,
    "create that secret",
  ],
  [
    "one of an in-tree plugin is deleted by the driver that replaced it",
    released(
      {},
      { csi: undefined, gcePersistentDisk: { pdName: "d" } },
      { annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/gce-pd", "pv.kubernetes.io/migrated-to": driver } },
    ),
    "waiting",
    "the driver is deleting the volume, or the next attempt is due soon",
  ],
  [
    "one of an in-tree plugin that nothing replaced",
    released({ driver: undefined }, { csi: undefined, nfs: { server: "s", path: "/" } }),
    "waiting",
    "the volume is not a CSI volume: its in-tree plugin has to delete it",
  ],
  [
    "its provisioner does not run",
    released({ driver: installed({ leases: found([lease("csi-example-com", 3)]) }) }),
    "failed",
    `the provisioner of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 3m`,
  ],
  [
    "a Retain volume whose object was deleted is kept by the attacher",
    released({}, { persistentVolumeReclaimPolicy: "Retain" }, { deletionTimestamp: ago(1), finalizers: [`external-attacher/${driver}`] }),
    "waiting",
    `the PersistentVolume object is being deleted, and is kept by external-attacher/${driver} (a VolumeAttachment names the volume, or the attacher does not run)`,
  ],
  [
    "its provisioner is done with it, and somebody else keeps it",
    released({}, {}, { deletionTimestamp: ago(1), finalizers: ["example.com/backup"] }),
    "waiting",
    "the PersistentVolume object is being deleted, and is kept by example.com/backup",
    "check the controller that set this finalizer",
  ],
  [
    "failed",
    observedVolume(volume({ claimRef }, { phase: "Failed", message: "no deleter" })),
    "failed",
    "the volume could not be reclaimed: no deleter",
  ],
  [
    "is available and being deleted, and its provisioner deletes only volumes that were bound",
    observedVolume(
      volume(
        {},
        { phase: "Available" },
        { deletionTimestamp: ago(1), finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"] },
      ),
    ),
    "waiting",
    "the volume is being deleted, and is kept by external-provisioner.volume.kubernetes.io/finalizer",
    "persistentVolumeReclaimPolicy to Retain",
  ],
  [
    "failed and being deleted by somebody's controller",
    observedVolume(
      volume({ claimRef }, { phase: "Failed", message: "no deleter" }, { deletionTimestamp: ago(1), finalizers: ["example.com/backup"] }),
    ),
    "failed",
    "the volume could not be reclaimed: no deleter",
  ],
  ["was never processed", observedVolume(volume({}, {})), "waiting", "kube-controller-manager has not processed the volume yet"],
  [
    "is available, and no claim is pending",
    available(),
    "waiting",
    "no claim is bound to the volume, and none is pending",
    "create a claim",
  ],
  [
    "is available, and a claim matches",
    available(claim()),
    "waiting",
    "claim default/data matches, and is not bound yet",
    "why pvc default/data",
  ],
  [
    "is available, and no claim matches",
    available(claim({ resources: { requests: { storage: "5Gi" } }, accessModes: ["ReadWriteMany"] }), claim({ storageClassName: "slow" })),
    "waiting",
    "no pending claim matches the volume; the closest is default/data: its class is fast, requested slow",
  ],
  [
    "is kept for a claim that does not exist",
    observedVolume(volume({ claimRef: { namespace: "default", name: "data" } }), { claim: missing }),
    "waiting",
    "the volume is reserved for claim default/data, which does not exist",
    "remove spec.claimRef",
  ],
];

describe("a volume", () => {
  for (const [name, observed, state, summary, remedy] of cases) {
    test(name, () => {
      const answer = explainVolume(observed);
      expect([answer.state, answer.summary]).toEqual([state, summary]);
      if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
    });
  }

  test("a sidecar that released its lease after its last event does not run; one with a later event leads elsewhere", () => {
    const told = (letGo: number) =>
      explainVolume(
        released({
          driver: installed({ leases: found([lease("csi-example-com", letGo, "")]) }),
          events: [event("PersistentVolume", "VolumeFailedDelete", grpc("Internal"), 3)],
        }),
      ).steps.some(({ what }) => what.includes("does not run now: its lease has no holder"));
    expect([told(2), told(6)]).toEqual([true, false]);
  });

  test("on its way out: every step in its order", () => {
    const observed = released(
      { attachments: found([attachment({ attached: true }, { deletionTimestamp: ago(3) })]) },
      {},
      { deletionTimestamp: ago(2), finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"] },
    );
    expect(explainVolume(observed).steps.map(({ state, what }) => `${state}: ${what}`)).toEqual([
      "done: claim default/data, to which the volume was bound, is deleted",
      "done: the volume has to be deleted: its reclaim policy is Delete",
      "waiting: the volume is still attached to n1",
      `done: the provisioner of driver ${driver} runs: host-1 is the leader`,
      "not yet: the volume is deleted in the storage",
      "waiting: the PersistentVolume object is being deleted, and is kept by external-provisioner.volume.kubernetes.io/finalizer (the volume in the storage is not deleted yet)",
    ]);
  });
});
