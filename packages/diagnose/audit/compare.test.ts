import { describe, expect, test } from "bun:test";
import type { V1PersistentVolume, V1VolumeAttachment } from "@csi-sidecars/kube";
import { compare } from "./compare.ts";
import type { Difference } from "./difference.ts";
import type { Inventory } from "./inventory.ts";

const driver = "csi.example.com";
const everything = { prefix: "", ignore: [] };
const created = "2026-03-01T11:00:00Z";
const uid = "0f5e0b5c-1111-2222-3333-444455556666";

const listed = (...ids: (string | [string, ...string[]])[]) =>
  new Map(ids.map((id) => (typeof id === "string" ? [id, []] : [id[0], id.slice(1)])));

const volume = (volumeHandle: string, parts: Partial<V1PersistentVolume> = {}, by = driver): V1PersistentVolume => ({
  metadata: { name: `pv-${volumeHandle}`, creationTimestamp: created },
  spec: { csi: { driver: by, volumeHandle } },
  status: { phase: "Bound" },
  ...parts,
});

const attachment = (volumeHandle: string, parts: Partial<V1VolumeAttachment> = {}, attacher = driver): V1VolumeAttachment => ({
  metadata: { name: `va-${volumeHandle}`, creationTimestamp: created },
  spec: { attacher, nodeName: "n1", source: { persistentVolumeName: `pv-${volumeHandle}` } },
  status: { attached: true },
  ...parts,
});

const inventory = (before: ReturnType<typeof listed>, after: ReturnType<typeof listed>, parts: Partial<Inventory> = {}): Inventory => ({
  driver,
  now: Date.parse("2026-03-01T12:00:00Z"),
  pauseMs: 15_000,
  before,
  after,
  volumes: [],
  csiNodes: [{ metadata: { name: "n1" }, spec: { drivers: [{ name: driver, nodeID: "id-1" }] } }],
  ...parts,
});

const kinds = ({ differences }: { readonly differences: readonly Difference[] }) =>
  differences.map(({ kind, volume: id, node }) => [kind, id, node].filter(Boolean).join(" "));
const table = (cases: readonly (readonly [string, Inventory, readonly string[]])[]) => {
  for (const [name, given, expected] of cases) test(name, () => expect(kinds(compare(given, everything))).toEqual([...expected]));
};

describe("volumes", () => {
  const inTree = { spec: { awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } } };
  const azure = { spec: { azureDisk: { diskName: "d", diskURI: "/subscriptions/s/disks/d" } } };
  table([
    ["all is well", inventory(listed("a", "b"), listed("a", "b"), { volumes: [volume("a"), volume("b")] }), []],
    ["one has no PV", inventory(listed("a", "b"), listed("a", "b"), { volumes: [volume("a")] }), ["volume without PV b"]],
    ["made between the looks", inventory(listed(), listed("new")), []],
    ["deleted between the looks", inventory(listed("old"), listed()), []],
    ["a PV without volume", inventory(listed(), listed(), { volumes: [volume("a")] }), ["PV without volume a"]],
    ["a PV whose volume was made after the first look", inventory(listed(), listed("a"), { volumes: [volume("a")] }), []],
    ["a PV whose volume went after the first look", inventory(listed("a"), listed(), { volumes: [volume("a")] }), []],
    [
      "a PV of another driver owns nothing here, and is not missed",
      inventory(listed("a"), listed("a"), { volumes: [volume("a", {}, "other"), volume("b", {}, "other")] }),
      ["volume without PV a"],
    ],
    [
      "an in-tree PV owns its volume",
      inventory(listed("vol-1"), listed("vol-1"), { volumes: [{ metadata: { name: "old" }, ...inTree }] }),
      [],
    ],
    [
      "an in-tree PV with a long name",
      inventory(listed("/subscriptions/s/disks/d"), listed("/subscriptions/s/disks/d"), {
        volumes: [{ metadata: { name: "old" }, ...azure }],
      }),
      [],
    ],
  ]);

  test("a storage with many volumes of others, and many claims that wait, are compared in a moment", () => {
    const uids = Array.from({ length: 10_000 }, (_, n) => `0f5e0b5c-1111-2222-3333-${String(n).padStart(12, "0")}`);
    const pendingClaims = uids.map((each, n) => ({ metadata: { namespace: "default", name: `data-${n}`, uid: each } }));
    const ids = Array.from({ length: 20_000 }, (_, n) => `share/ffffffff-1111-2222-3333-${String(n).padStart(12, "0")}`);
    const all = listed(...ids, `pvc-${uids.at(-1)}`);
    const { differences, inProgress } = compare(inventory(all, all, { pendingClaims }), everything);
    expect([differences.length, inProgress.map(({ note }) => note)]).toEqual([20_000, ["is being created for claim default/data-9999"]]);
  }, 5_000);

  test("how long a volume was seen, how old a PV is, and what becomes of it", () => {
    const beingDeleted = {
      metadata: { name: "gone", creationTimestamp: created, deletionTimestamp: created },
      status: { phase: "Released" as const },
    };
    expect(compare(inventory(listed("a"), listed("a"), { volumes: [volume("b", beingDeleted)] }), everything).differences).toEqual([
      { kind: "volume without PV", volume: "a", since: "2026-03-01T11:59:45.000Z" },
      { kind: "PV without volume", volume: "b", object: "PersistentVolume gone", since: created, note: "Released, being deleted" },
    ]);
  });

  test.each([
    ["Released", "Delete", "Released, being deleted"],
    ["Released", "Retain", "Released"],
    ["Bound", "Delete", "Bound"],
  ] as const)("a PV without volume that is %s with policy %s: %s", (phase, persistentVolumeReclaimPolicy, note) => {
    const pv = volume("a", { spec: { csi: { driver, volumeHandle: "a" }, persistentVolumeReclaimPolicy }, status: { phase } });
    expect(compare(inventory(listed(), listed(), { volumes: [pv] }), everything).differences).toMatchObject([{ note }]);
  });

  test.each([`pvc-${uid}`, `x#pvc${uid.replaceAll("-", "")}`])("one that is named after a claim without volume is being made: %s", (id) => {
    const pendingClaims = [{ metadata: { namespace: "default", name: "data", uid } }];
    const { differences, inProgress } = compare(inventory(listed(id, "leak"), listed(id, "leak"), { pendingClaims }), everything);
    expect(kinds({ differences })).toEqual(["volume without PV leak"]);
    expect(inProgress.map(({ note }) => note)).toEqual(["is being created for claim default/data"]);
  });
});

describe("attachments", () => {
  const attached = (before: ReturnType<typeof listed>, after: ReturnType<typeof listed>, ...attachments: V1VolumeAttachment[]) =>
    inventory(before, after, { volumes: [volume("a")], attachments });
  const published = listed(["a", "id-1"]);
  const beingDeleted = { metadata: { name: "va", deletionTimestamp: created } };
  const elsewhere = {
    metadata: { name: "va", annotations: { "csi.alpha.kubernetes.io/node-id": "id-9" } },
    spec: { attacher: driver, nodeName: "gone", source: { persistentVolumeName: "pv-a" } },
  };
  table([
    ["both agree", attached(published, published, attachment("a")), []],
    ["without VolumeAttachment", attached(published, published), ["published without VolumeAttachment a id-1"]],
    ["published just now", attached(listed("a"), published), []],
    ["being attached", attached(published, published, attachment("a", { status: { attached: false } })), []],
    ["the storage does not know", attached(listed("a"), listed("a"), attachment("a")), ["VolumeAttachment not published a n1"]],
    ["published after the first look", attached(listed("a"), published, attachment("a")), []],
    ["being detached", attached(listed("a"), listed("a"), attachment("a", beingDeleted)), []],
    ["not attached yet", attached(listed("a"), listed("a"), attachment("a", { status: { attached: false } })), []],
    [
      "a node that is gone is known by the annotation",
      attached(listed(["a", "id-9"]), listed(["a", "id-9"]), attachment("a", elsewhere)),
      [],
    ],
    ["a node whose id is unknown", attached(published, published, attachment("a", { spec: { ...elsewhere.spec } })), []],
    [
      "an in-tree volume",
      inventory(listed(["vol-1", "id-1"]), listed(["vol-1", "id-1"]), {
        volumes: [{ metadata: { name: "pv-old" }, spec: { awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } } }],
        attachments: [attachment("old")],
      }),
      [],
    ],
    ["nodes may not be read", inventory(published, published, { volumes: [volume("a")], attachments: [], csiNodes: undefined }), []],
    ["another driver's", attached(listed("a"), listed("a"), attachment("a", {}, "other")), []],
    ["a volume that is missing altogether is said once", attached(listed(), listed(), attachment("a")), ["PV without volume a"]],
    ["the driver does not report where volumes are published", inventory(published, published, { volumes: [volume("a")] }), []],
  ]);
});

test("what is filtered out does not count at all", () => {
  const given = inventory(listed("pvc-1", "image"), listed("pvc-1", "image"), { volumes: [volume("by-hand")] });
  expect(compare(given, { prefix: "pvc-", ignore: [] })).toMatchObject({
    differences: [{ kind: "volume without PV", volume: "pvc-1" }],
    storageVolumes: 1,
    persistentVolumes: 0,
  });
});
