import { describe, expect, test } from "bun:test";
import type { V1ResourceQuota } from "@csi-sidecars/kube";
import { found, missing } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { bound, claim, observedClaim, storageClass, volume } from "../testing/objects.ts";
import { explainClaim } from "./claim.ts";

const expandable = found(storageClass({ allowVolumeExpansion: true }));
const quota = (resource: string, hard: string, used: string, spec: V1ResourceQuota["spec"] = {}): V1ResourceQuota => ({
  metadata: { name: "storage", namespace: "default" },
  spec,
  status: { hard: { [resource]: hard }, used: { [resource]: used } },
});
const remarks = (object = bound(), more: Partial<ObservedClaim> = {}) =>
  explainClaim(observedClaim(object, { volume: found(volume()), storageClass: expandable, ...more })).remarks;

describe("what would keep a claim from growing", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["nothing", remarks(), []],
    [
      "its class",
      remarks(bound(), { storageClass: found(storageClass()) }),
      ["it cannot be expanded: StorageClass fast does not allow it (allowVolumeExpansion)"],
    ],
    [
      "a class that is gone",
      remarks(bound(), { storageClass: missing }),
      ["it cannot be expanded: its StorageClass fast, which must allow it, does not exist"],
    ],
    ["no class", remarks(bound({ storageClassName: "" })), ["it cannot be expanded: it has no StorageClass that allows it"]],
    [
      "a quota that is used up",
      remarks(bound(), { quotas: found([quota("requests.storage", "10Gi", "10Gi")]) }),
      ["it cannot grow: ResourceQuota default/storage allows 10Gi of requests.storage in the namespace, of which 10Gi are used"],
    ],
    [
      "the quota that leaves least",
      remarks(bound(), {
        quotas: found([
          quota("requests.storage", "10Gi", "1Gi"),
          quota("fast.storageclass.storage.k8s.io/requests.storage", "4Gi", "1Gi"),
          quota("slow.storageclass.storage.k8s.io/requests.storage", "1Gi", "1Gi"),
          quota("requests.storage", "1Gi", "1Gi", { scopes: ["Terminating"] }),
        ]),
      }),
      [
        "it can grow by 3Gi at most: ResourceQuota default/storage allows 4Gi of fast.storageclass.storage.k8s.io/requests.storage in the namespace, of which 1Gi are used",
      ],
    ],
    [
      "a claim that grows already",
      remarks(bound({ resources: { requests: { storage: "2Gi" } } }), { storageClass: found(storageClass()) }),
      [],
    ],
    ["a claim that is not bound", remarks(claim(), { storageClass: found(storageClass()) }), []],
  ])("%s", (_what, said, expected) => {
    expect(said).toEqual([...expected]);
  });
});
