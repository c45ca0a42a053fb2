import { describe, expect, test } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import { renderText } from "../render.ts";
import { table } from "../testing/claim-cases.ts";
import { ago, asked, bound, claim, installed, lease, now, observedClaim, volume } from "../testing/objects.ts";
import { explainClaim } from "./claim.ts";

describe("a claim", () => {
  table([
    ["does not exist", observedClaim(undefined), ["failed", "does not exist"]],
    ["may not be read", observedClaim(undefined, { claim: unreadable }), ["failed", "could not be read"]],
    [
      "could not be read, and why",
      observedClaim(undefined, { claim: unreadable, notes: ["could not read PersistentVolumeClaim default/data: needs get on it"] }),
      ["failed", "could not be read: needs get on it"],
    ],
    ["is bound", observedClaim(bound(), { volume: found(volume()) }), ["done", "nothing is waiting: the claim is bound"]],
    [
      "is bound to a volume that is gone",
      observedClaim(bound(), { volume: missing }),
      ["failed", "the claim is bound to volume pv-1, which does not exist any more", "restore"],
    ],
    [
      "is bound to a volume that somebody deleted",
      observedClaim(bound(), { volume: found(volume({}, { phase: "Bound" }, { deletionTimestamp: ago(1) })) }),
      ["waiting", "volume pv-1 is being deleted, and is removed together with the claim", "kubectl patch pv pv-1"],
    ],
    [
      "is bound to a volume that somebody deleted, and that is retained",
      observedClaim(bound(), {
        volume: found(volume({ persistentVolumeReclaimPolicy: "Retain" }, { phase: "Bound" }, { deletionTimestamp: ago(1) })),
      }),
      ["waiting", "volume pv-1 is being deleted, and is removed together with the claim", /cannot be undone; its data stay in the storage/],
    ],
    [
      "is lost",
      observedClaim(bound({}, { phase: "Lost" })),
      ["failed", "the claim has lost its volume pv-1: the PersistentVolume object was deleted, or belongs to another claim", "restore"],
    ],
  ]);
});

test("as text: the answer, the steps, what proves them, what to do, what was not seen", () => {
  const observed = observedClaim(claim({}, {}, { annotations: asked }), {
    driver: installed({ leases: found([lease("csi-example-com", 30)]) }),
    notes: ["could not read StorageClass fast: needs get on storageclasses.storage.k8s.io"],
    storageClass: unreadable,
  });
  expect(
    renderText(explainClaim(observed), now),
  ).toBe(`PersistentVolumeClaim default/data: the provisioner of driver csi.example.com does not run: host-1 was the last leader and has not renewed its lease for 30m

  done     the claim names class fast
  done     the volume is requested from provisioner csi.example.com
  failed   the provisioner of driver csi.example.com does not run: host-1 was the last leader and has not renewed its lease for 30m
           Lease storage/csi-example-com: spec.renewTime: 2026-03-01T11:30:00.000Z
           -> check the pods of the driver's controller in namespace storage
  not yet  the volume is created
  not yet  the claim is bound to the volume

could not read StorageClass fast: needs get on storageclasses.storage.k8s.io
csi-sidecars rbac --for=why prints a role that reads all that is needed
`);
});
