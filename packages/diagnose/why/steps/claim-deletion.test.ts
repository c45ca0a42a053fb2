import { describe } from "bun:test";
import { found, unreadable } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { table } from "../testing/claim-cases.ts";
import { ago, bound, claim, observedClaim, pod, volume } from "../testing/objects.ts";

const keepsData = `its data are deleted with the claim (reclaim policy Delete): to keep them in the storage, first kubectl patch pv pv-1 -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`;

describe("a claim that is being deleted", () => {
  const deletedClaim = (finalizers: string[], more: Partial<ObservedClaim> = {}) =>
    observedClaim(bound({}, {}, { deletionTimestamp: ago(2), finalizers }), { volume: found(volume()), ...more });
  const protection = ["kubernetes.io/pvc-protection"];
  table([
    [
      "a pod uses it",
      deletedClaim(protection, { pods: found([pod({ nodeName: "n1" })]) }),
      ["waiting", "the claim is being deleted, and is kept because a pod uses it: default/app (on n1)", "delete these pods"],
    ],
    [
      "a pod uses it, and its data are not lost with it",
      deletedClaim(protection, {
        pods: found([pod({ nodeName: "n1" })]),
        volume: found(volume({ persistentVolumeReclaimPolicy: "Retain" })),
      }),
      ["waiting", "the claim is being deleted, and is kept because a pod uses it: default/app (on n1)", /with the last pod$/],
    ],
    [
      "a pod uses it, and its data are lost with it",
      deletedClaim(protection, { pods: found([pod({ nodeName: "n1" })]) }),
      ["waiting", "the claim is being deleted, and is kept because a pod uses it: default/app (on n1)", keepsData],
    ],
    ["no pod uses it", deletedClaim(protection, { pods: found([]) }), ["waiting", "the claim is being deleted; no pod uses it any more"]],
    [
      "pods may not be read",
      deletedClaim(protection, { pods: unreadable }),
      ["waiting", "the claim is being deleted, and is kept as long as pods use it"],
    ],
    [
      "it is being cloned",
      deletedClaim(["provisioner.storage.kubernetes.io/cloning-protection"], { clones: found([claim()]) }),
      ["waiting", "the claim is being deleted, and is kept as long as it is being cloned: default/data"],
    ],
    [
      "a snapshot of it is being taken",
      deletedClaim(["snapshot.storage.kubernetes.io/pvc-as-source-protection"], {
        snapshots: found([{ metadata: { namespace: "default", name: "backup" } }]),
      }),
      [
        "waiting",
        "the claim is being deleted, and is kept as long as snapshots of it are being taken: default/backup",
        "why volumesnapshot default/backup",
      ],
    ],
    [
      "no snapshot of it is being taken any more",
      deletedClaim(["snapshot.storage.kubernetes.io/pvc-as-source-protection"], { snapshots: found([]) }),
      [
        "waiting",
        "the claim is being deleted, and is kept as long as snapshots of it are being taken",
        "check that the snapshot-controller runs",
      ],
    ],
    [
      "the driver may be making its volume",
      deletedClaim(["provisioner.storage.kubernetes.io/provisioning-in-progress"]),
      [
        "waiting",
        "the claim is being deleted, and is kept until the driver has answered whether it created a volume for it",
        "may leak a volume",
      ],
    ],
    [
      "somebody else's finalizer",
      deletedClaim(["example.com/mine"]),
      ["waiting", "the claim is being deleted, and is kept by example.com/mine"],
    ],
  ]);
});
