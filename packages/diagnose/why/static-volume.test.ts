import { describe, test } from "bun:test";
import { missing, seen } from "./look.ts";
import { check, table } from "./testing/claim-cases.ts";
import { claim, claimFacts, nodeFacts, onNode, storageClass, volume } from "./testing/objects.ts";

describe("a volume made by hand", () => {
  const byHand = (spec: Parameters<typeof claim>[0], ...volumes: ReturnType<typeof volume>[]) =>
    claimFacts(claim({ storageClassName: "", ...spec }), { storageClass: undefined, volumes: seen(volumes) });
  const nearest = (problem: string) => `none of the 1 free volumes fits; nearest is pv-1: ${problem}`;
  const plain = { storageClassName: "" };
  table([
    [
      "none is free",
      byHand({}, volume(plain, { phase: "Bound" })),
      ["waiting", "the cluster has no volume that is free", "create a PersistentVolume"],
    ],
    ["too small", byHand({}, volume({ ...plain, capacity: { storage: "500Mi" } })), ["waiting", nearest("it has 500Mi, wanted 1Gi")]],
    ["another class", byHand({}, volume()), ["waiting", nearest("its class is fast, wanted none")]],
    ["another mode", byHand({ volumeMode: "Block" }, volume(plain)), ["waiting", nearest("its volumeMode is Filesystem, wanted Block")]],
    [
      "another access mode",
      byHand({ accessModes: ["ReadWriteMany"] }, volume(plain)),
      ["waiting", nearest("it does not offer ReadWriteMany (only ReadWriteOnce)")],
    ],
    [
      "other labels",
      byHand({ selector: { matchLabels: { tier: "gold" } } }, volume(plain)),
      ["waiting", nearest("its labels do not satisfy the selector (tier)")],
    ],
    [
      "kept for another",
      byHand({}, volume({ ...plain, claimRef: { namespace: "default", name: "other" } })),
      ["waiting", nearest("it is kept for claim default/other")],
    ],
    ["it fits", byHand({}, volume(plain)), ["waiting", "the cluster has yet to bind the claim"]],
    [
      "the named one does not exist",
      claimFacts(claim({ volumeName: "pv-1" }), { volume: missing }),
      ["waiting", "the claim names volume pv-1, which does not exist", "create PersistentVolume pv-1"],
    ],
    [
      "the named one belongs to the claim's forerunner",
      claimFacts(claim({ volumeName: "pv-1" }), {
        volume: seen(volume({ claimRef: { namespace: "default", name: "data", uid: "old" } }, { phase: "Released" })),
      }),
      [
        "failed",
        "the claim names volume pv-1, which it cannot have: it belongs to an older claim of the same name (spec.claimRef.uid differs)",
        "remove spec.claimRef.uid",
      ],
    ],
  ]);

  test("on the wrong side of its node affinity", () => {
    const far = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: ["b"] }] }] } };
    const handMade = storageClass({ provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" });
    const facts = claimFacts(claim({}, {}, { annotations: onNode }), {
      storageClass: seen(handMade),
      selectedNode: nodeFacts(),
      volumes: seen([volume({ nodeAffinity: far })]),
    });
    check(facts, ["waiting", nearest("its nodeAffinity leaves out node n1")]);
  });
});
