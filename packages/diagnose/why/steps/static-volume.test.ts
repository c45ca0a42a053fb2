import { describe, test } from "bun:test";
import { found, missing } from "../../access/read-cluster.ts";
import { check, table } from "../testing/claim-cases.ts";
import { claim, observedClaim, observedNode, onNode, storageClass, volume } from "../testing/objects.ts";

describe("a statically provisioned volume", () => {
  const staticClaim = (spec: Parameters<typeof claim>[0], ...volumes: ReturnType<typeof volume>[]) =>
    observedClaim(claim({ storageClassName: "", ...spec }), { storageClass: undefined, volumes: found(volumes) });
  const nearest = (problem: string) => `no available volume matches (of 1); the closest is pv-1: ${problem}`;
  const plain = { storageClassName: "" };
  table([
    [
      "none is available",
      staticClaim({}, volume(plain, { phase: "Bound" })),
      ["waiting", "no PersistentVolume is available", "create a matching PersistentVolume"],
    ],
    [
      "too small",
      staticClaim({}, volume({ ...plain, capacity: { storage: "500Mi" } })),
      ["waiting", nearest("its capacity is 500Mi, requested 1Gi")],
    ],
    ["another class", staticClaim({}, volume()), ["waiting", nearest("its class is fast, requested none")]],
    [
      "another mode",
      staticClaim({ volumeMode: "Block" }, volume(plain)),
      ["waiting", nearest("its volumeMode is Filesystem, requested Block")],
    ],
    [
      "another access mode",
      staticClaim({ accessModes: ["ReadWriteMany"] }, volume(plain)),
      ["waiting", nearest("it does not support ReadWriteMany (only ReadWriteOnce)")],
    ],
    [
      "other labels",
      staticClaim({ selector: { matchLabels: { tier: "gold" } } }, volume(plain)),
      ["waiting", nearest("its labels do not match the selector (tier)")],
    ],
    [
      "a label that every object inherits",
      staticClaim({ selector: { matchExpressions: [{ key: "constructor", operator: "Exists" }] } }, volume(plain)),
      ["waiting", nearest("its labels do not match the selector (constructor)")],
    ],
    [
      "kept for another",
      staticClaim({}, volume({ ...plain, claimRef: { namespace: "default", name: "other" } })),
      ["waiting", nearest("it is reserved for claim default/other")],
    ],
    ["it matches", staticClaim({}, volume(plain)), ["waiting", "the claim is not bound yet"]],
    [
      "the named one does not exist",
      observedClaim(claim({ volumeName: "pv-1" }), { volume: missing }),
      ["waiting", "the claim names volume pv-1, which does not exist", "create PersistentVolume pv-1"],
    ],
    [
      "the named one belongs to the claim's forerunner",
      observedClaim(claim({ volumeName: "pv-1" }), {
        volume: found(volume({ claimRef: { namespace: "default", name: "data", uid: "old" } }, { phase: "Released" })),
      }),
      [
        "failed",
        "the claim names volume pv-1, which does not match: it belongs to an older claim of the same name (spec.claimRef.uid differs)",
        "remove spec.claimRef.uid",
      ],
    ],
  ]);

  test("on the wrong side of its node affinity", () => {
    const far = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: ["b"] }] }] } };
    const handMade = storageClass({ provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" });
    const observed = observedClaim(claim({}, {}, { annotations: onNode }), {
      storageClass: found(handMade),
      selectedNode: observedNode(),
      volumes: found([volume({ nodeAffinity: far })]),
    });
    check(observed, ["waiting", nearest("its nodeAffinity excludes node n1")]);
  });
});
