import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import { missing, seen, unseen } from "./look.ts";
import { renderText } from "./render.ts";
import { table } from "./testing/claim-cases.ts";
import { actor, ago, asked, bound, claim, claimFacts, lease, now, volume } from "./testing/objects.ts";

describe("a claim", () => {
  table([
    ["does not exist", claimFacts(undefined), ["failed", "does not exist"]],
    ["may not be read", claimFacts(undefined, { claim: unseen }), ["failed", "could not be read"]],
    [
      "could not be read, and why",
      claimFacts(undefined, { claim: unseen, unseen: ["could not look at PersistentVolumeClaim default/data: needs get on it"] }),
      ["failed", "could not be read: needs get on it"],
    ],
    ["is bound", claimFacts(bound(), { volume: seen(volume()) }), ["done", "nothing is waiting: the claim is bound"]],
    [
      "is bound to a volume that is gone",
      claimFacts(bound(), { volume: missing }),
      ["failed", "the claim is bound to volume pv-1, which does not exist any more", "restore"],
    ],
    [
      "is bound to a volume that somebody deleted",
      claimFacts(bound(), { volume: seen(volume({}, { phase: "Bound" }, { deletionTimestamp: ago(1) })) }),
      ["waiting", "volume pv-1 is being deleted, and goes as soon as the claim does", "save the data"],
    ],
    [
      "is lost",
      claimFacts(bound({}, { phase: "Lost" })),
      ["failed", "the claim has lost its volume pv-1: the PersistentVolume object was deleted, or belongs to another claim", "restore"],
    ],
  ]);
});

test("as text: the answer, the steps, what proves them, what to do, what was not seen", () => {
  const facts = claimFacts(claim({}, {}, { annotations: asked }), {
    actor: actor({ leases: seen([lease("csi-example-com", 30)]) }),
    unseen: ["could not look at StorageClass fast: needs get on storageclasses.storage.k8s.io"],
    storageClass: unseen,
  });
  expect(
    renderText(explain(facts), now),
  ).toBe(`PersistentVolumeClaim default/data: the provisioner of driver csi.example.com does not run: host-1 led last and has not renewed its lease for 30m

  done     the claim names class fast
  done     the cluster asks the provisioner of csi.example.com for a volume
  failed   the provisioner of driver csi.example.com does not run: host-1 led last and has not renewed its lease for 30m
           Lease storage/csi-example-com: spec.renewTime: 2026-03-01T11:30:00.000Z
           -> look at the pods of the driver's controller in namespace storage
  not yet  the volume is made
  not yet  claim and volume are bound to each other

could not look at StorageClass fast: needs get on storageclasses.storage.k8s.io
`);
});
