import { expect, test } from "bun:test";
import { stringifyExactJson } from "@csi-sidecars/base";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { type Cluster, installDefinitions } from "@csi-sidecars/testcluster";
import { describeKubectl, type Kubectl } from "./testing/kubectl.ts";

const driver = "hostpath.csi.example.com";
const object = (kind: string, name: string, members: object, metadata: object = { namespace: "default" }) => ({
  apiVersion: `${kind.includes("Group") ? "group" : ""}snapshot.storage.k8s.io/v1`,
  kind,
  metadata: { name, ...metadata },
  ...members,
});
const finalizer = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
const readyStatus = { readyToUse: true, creationTime: "2026-01-01T00:00:00Z" };

const neighbourhood = {
  apiVersion: "v1",
  kind: "List",
  items: [
    object("VolumeSnapshotClass", "fast", { driver, deletionPolicy: "Delete" }, {}),
    object("VolumeSnapshot", "data", { spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "fast" } }),
    object("VolumeSnapshot", "given", { spec: { source: { volumeSnapshotContentName: "c" } } }),
    object(
      "VolumeSnapshotContent",
      "c",
      {
        spec: {
          ...{ driver, deletionPolicy: "Retain", source: { snapshotHandle: "handle-1" } },
          volumeSnapshotRef: { namespace: "default", name: "given" },
        },
      },
      {},
    ),
    object("VolumeGroupSnapshotClass", "fast", { driver, deletionPolicy: "Delete" }, {}),
    object("VolumeGroupSnapshot", "both", {
      spec: { source: { selector: { matchLabels: { app: "db" } } }, volumeGroupSnapshotClassName: "fast" },
    }),
    object(
      "VolumeGroupSnapshotContent",
      "g",
      {
        spec: {
          ...{ driver, deletionPolicy: "Delete", source: { volumeHandles: ["v1", "v2"] }, volumeGroupSnapshotClassName: "fast" },
          volumeGroupSnapshotRef: { namespace: "default", name: "both" },
        },
      },
      {},
    ),
  ],
};

/** The kinds as the playground installs them, and objects of all of them in which the controllers have written their status. */
async function settle(kubectl: Kubectl, cluster: Cluster): Promise<void> {
  await installDefinitions(cluster.admin, snapshotDefinitions);
  kubectl.file("snapshots.json", JSON.stringify(neighbourhood));
  await kubectl.says("create -f snapshots.json");
  await status(kubectl, "vs/data", { ...readyStatus, boundVolumeSnapshotContentName: "snapcontent-1", restoreSize: "1Gi" });
  await status(kubectl, "vsc/c", { readyToUse: true, restoreSize: 1073741824, creationTime: 1767225600123456789n });
  await status(kubectl, "vgs/both", { ...readyStatus, boundVolumeGroupSnapshotContentName: "g" });
}

const status = (kubectl: Kubectl, what: string, fields: object) =>
  kubectl.says(["patch", what, "--subresource=status", "--type=merge", "-p", stringifyExactJson({ status: fields })]);

describeKubectl("and snapshots", settle, (world) => {
  const printed: readonly [args: string, lines: readonly string[]][] = [
    [
      "get vs",
      [
        "NAME  READYTOUSE  SOURCEPVC  SOURCESNAPSHOTCONTENT  RESTORESIZE  SNAPSHOTCLASS  SNAPSHOTCONTENT  CREATIONTIME  AGE",
        "data  true  data  1Gi  fast  snapcontent-1  <age>  <age>",
        "given  c  <age>",
      ],
    ],
    [
      "get vsc",
      [
        "NAME  READYTOUSE  RESTORESIZE  DELETIONPOLICY  DRIVER  VOLUMESNAPSHOTCLASS  VOLUMESNAPSHOT  VOLUMESNAPSHOTNAMESPACE  AGE",
        "c  true  1073741824  Retain  hostpath.csi.example.com  given  default  <age>",
      ],
    ],
    ["get vsclass", ["NAME  DRIVER  DELETIONPOLICY  AGE", "fast  hostpath.csi.example.com  Delete  <age>"]],
    [
      "get vgs",
      ["NAME  READYTOUSE  VOLUMEGROUPSNAPSHOTCLASS  VOLUMEGROUPSNAPSHOTCONTENT  CREATIONTIME  AGE", "both  true  fast  g  <age>  <age>"],
    ],
    [
      "get vgsc",
      [
        "NAME  READYTOUSE  DELETIONPOLICY  DRIVER  VOLUMEGROUPSNAPSHOTCLASS  VOLUMEGROUPSNAPSHOTNAMESPACE  VOLUMEGROUPSNAPSHOT  AGE",
        "g  Delete  hostpath.csi.example.com  fast  default  both  <age>",
      ],
    ],
    ["get vgsclass", ["NAME  DRIVER  DELETIONPOLICY  AGE", "fast  hostpath.csi.example.com  Delete  <age>"]],
    ["get vs -o jsonpath={.items[*].metadata.name}", ["data given"]],
    ["get vsc c -o jsonpath={.status.creationTime}", ["1767225600123456789"]],
    [
      "wait --for=jsonpath={.status.readyToUse}=true vs/data vgs/both --timeout=5s",
      ["volumesnapshot.snapshot.storage.k8s.io/data condition met", "volumegroupsnapshot.groupsnapshot.storage.k8s.io/both condition met"],
    ],
  ];
  test.each([...printed])("%s", async (args, lines) => {
    const text = await world.kubectl.says(args);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd().replace(/(?<=\S) {2,}/g, "  ")),
    ).toEqual([...lines]);
  });

  test.each<[string, RegExp]>([
    [
      "explain vs.spec.source.persistentVolumeClaimName",
      /^GROUP: +snapshot.storage.k8s.io\nKIND: +VolumeSnapshot\nVERSION: +v1\n\nFIELD: persistentVolumeClaimName <string>\n/,
    ],
    ["explain vsc.status.creationTime", /FIELD: creationTime <integer>/],
    ["explain vgs.spec.source.selector", /^GROUP: +groupsnapshot.storage.k8s.io\nKIND: +VolumeGroupSnapshot\n/],
    [
      "describe vs data",
      /^Name: +data\nNamespace: +default\n.*Source:\n +Persistent Volume Claim Name: +data\n.*Ready To Use: +true\n +Restore Size: +1Gi\n/s,
    ],
  ])("%s", async (args, expected) => {
    expect(await world.kubectl.says(args)).toMatch(expected);
  });

  test("apply takes what did not change and refuses another source", async () => {
    const snapshot = (claim: string) =>
      JSON.stringify(object("VolumeSnapshot", "applied", { spec: { source: { persistentVolumeClaimName: claim } } }));
    expect(await world.kubectl.says("apply -f -", snapshot("data"))).toContain("applied created");
    expect(await world.kubectl.says("apply -f -", snapshot("data"))).toContain("applied unchanged");
    expect(await world.kubectl.refuses("apply -f -", snapshot("other"))).toContain("persistentVolumeClaimName is immutable");
    expect(await world.kubectl.says("delete vs applied")).toContain('"applied" deleted');
  });

  test("create refuses a snapshot of nothing, and fields that do not exist", async () => {
    const create = (spec: object) => world.kubectl.refuses("create -f -", JSON.stringify(object("VolumeSnapshot", "bad", { spec })));
    expect(await create({ source: {} })).toContain("exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set");
    expect(await create({ source: { persistentVolumeClaimName: "data" }, size: "1Gi" })).toContain('unknown field "spec.size"');
  });

  test("delete waits for the controller's finalizer", async () => {
    const { kubectl } = world;
    const protectedOne = object(
      "VolumeSnapshot",
      "bound",
      { spec: { source: { persistentVolumeClaimName: "data" } } },
      { namespace: "default", finalizers: [finalizer] },
    );
    await kubectl.says("create -f -", JSON.stringify(protectedOne));
    await using deletion = kubectl.start("delete vs bound");
    await deletion.prints('"bound" deleted');
    expect(await kubectl.says("get vs bound -o jsonpath={.metadata.deletionTimestamp}")).toBe("<time>");
    await kubectl.says(["patch", "vs", "bound", "--type=json", "-p", '[{"op":"remove","path":"/metadata/finalizers"}]']);
    expect(await kubectl.says("wait --for=delete vs/bound --timeout=10s")).toBeDefined();
    expect(await kubectl.refuses("get vs bound")).toContain("NotFound");
  });
});
