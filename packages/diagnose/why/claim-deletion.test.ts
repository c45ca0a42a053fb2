import { describe } from "bun:test";
import type { ClaimFacts } from "./facts.ts";
import { seen, unseen } from "./look.ts";
import { table } from "./testing/claim-cases.ts";
import { ago, bound, claim, claimFacts, pod, volume } from "./testing/objects.ts";

describe("a claim that is being deleted", () => {
  const going = (finalizers: string[], more: Partial<ClaimFacts> = {}) =>
    claimFacts(bound({}, {}, { deletionTimestamp: ago(2), finalizers }), { volume: seen(volume()), ...more });
  const protection = ["kubernetes.io/pvc-protection"];
  table([
    [
      "a pod uses it",
      going(protection, { pods: seen([pod({ nodeName: "n1" })]) }),
      ["waiting", "the claim is being deleted, and kept because a pod uses it: default/app (on n1)", "delete these pods"],
    ],
    ["no pod uses it", going(protection, { pods: seen([]) }), ["waiting", "the claim is being deleted; no pod uses it any more"]],
    [
      "pods may not be read",
      going(protection, { pods: unseen }),
      ["waiting", "the claim is being deleted, and kept as long as pods use it"],
    ],
    [
      "clones are made of it",
      going(["provisioner.storage.kubernetes.io/cloning-protection"], { clones: seen([claim()]) }),
      ["waiting", "the claim is being deleted, and kept as long as clones are made of it: default/data"],
    ],
    [
      "the driver may be making its volume",
      going(["provisioner.storage.kubernetes.io/provisioning-in-progress"]),
      ["waiting", "the claim is being deleted, and kept until the driver has said whether it made a volume for it", "stay behind"],
    ],
    ["somebody else's finalizer", going(["example.com/mine"]), ["waiting", "the claim is being deleted, and kept by example.com/mine"]],
  ]);
});
