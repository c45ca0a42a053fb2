import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { populatorDefinitions, snapshotDefinitions } from "@csi-sidecars/crds";
import {
  CSIDriver,
  CSINode,
  type KubeObject,
  Lease,
  mergePatch,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeGroupSnapshot,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { type Cluster, installDefinitions, startCluster, type TestUser } from "@csi-sidecars/testcluster";
import { rbacCommand } from "../../rbac/rbac-command.ts";
import { readerRules } from "../../rbac/reader-rules.ts";
import { applyFor } from "../../testing/apply-manifests.ts";
import { allInOne } from "../../testing/programs.ts";
import { sidecars } from "../testing/sidecars.ts";
import { whyCommand } from "../why-command.ts";

const driver = "driver.example.com";

function why(line: string, cluster: Cluster, user: Pick<TestUser, "token">) {
  const files = { read: () => cluster.kubeconfig(user.token) };
  const argv = [...line.split(" ").filter(Boolean), "--kubeconfig=/kubeconfig"];
  return whyCommand(argv, allInOne, { env: {}, clock: systemClock, files }, sidecars);
}

/** Objects in many states, none of which changes by itself. */
async function fill(cluster: Cluster): Promise<void> {
  const { admin } = cluster;
  await installDefinitions(admin, [...snapshotDefinitions, ...populatorDefinitions]);
  const status = <T extends KubeObject>(kind: Resource<T>, name: string, namespace: string | undefined, value: object) =>
    admin.patch(kind, { name, ...(namespace && { namespace }) }, mergePatch({ status: value }), { subresource: "status" });
  const claim = async (name: string, spec: object, phase = "Pending", namespace = "default") => {
    const common = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" };
    await admin.create(PersistentVolumeClaim, { metadata: { namespace, name }, spec: { ...common, ...spec } });
    await status(PersistentVolumeClaim, name, namespace, { phase, ...(phase === "Bound" && { capacity: { storage: "1Gi" } }) });
  };
  await admin.create(Namespace, { metadata: { name: "team" } });
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver, volumeBindingMode: "Immediate" });
  await admin.create(CSIDriver, { metadata: { name: driver }, spec: {} });
  await admin.create(VolumeAttributesClass, { metadata: { name: "gold" }, driverName: "other.example.com", parameters: { a: "b" } });
  for (const name of ["n1", "n2"]) await admin.create(Node, { metadata: { name } });
  const ready = { type: "Ready", lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" };
  await status(Node, "n1", undefined, {
    conditions: [{ ...ready, status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped" }],
  });
  await status(Node, "n2", undefined, { conditions: [{ ...ready, status: "True", reason: "KubeletReady", message: "" }] });
  for (const name of ["n1", "n2"]) await admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driver, nodeID: name }] } });
  await admin.create(PersistentVolume, {
    metadata: { name: "pv-fine" },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, persistentVolumeReclaimPolicy: "Retain" },
      csi: { driver, volumeHandle: "h" },
      claimRef: { namespace: "default", name: "modified" },
    },
  });
  await status(PersistentVolume, "pv-fine", undefined, { phase: "Bound" });
  await admin.create(VolumeAttachment, {
    metadata: { name: "va" },
    spec: { attacher: driver, nodeName: "n1", source: { persistentVolumeName: "pv-fine" } },
  });
  await claim("fine", { volumeName: "pv-fine" }, "Bound");
  await claim("modified", { volumeName: "pv-fine", volumeAttributesClassName: "gold" }, "Bound");
  await claim("classless", { storageClassName: "gone" });
  await claim("elsewhere", { storageClassName: "gone" }, "Pending", "team");
  await claim("populated", { dataSourceRef: { apiGroup: "library.io", kind: "Book", name: "b" } });
  await admin.create(Pod, {
    metadata: { namespace: "default", name: "app" },
    spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "classless" } }] },
  });
  await admin.create(StorageClass, { metadata: { name: "late" }, provisioner: driver, volumeBindingMode: "WaitForFirstConsumer" });
  await claim("late", { storageClassName: "late" });
  await admin.create(Pod, {
    metadata: { namespace: "default", name: "picky" },
    spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "late" } }] },
  });
  const message = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
  await status(Pod, "picky", "default", { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] });
  await admin.create(VolumeSnapshot, {
    metadata: { namespace: "default", name: "backup" },
    spec: { volumeSnapshotClassName: "none", source: { persistentVolumeClaimName: "modified" } },
  });
  await admin.create(VolumeGroupSnapshot, {
    metadata: { namespace: "default", name: "group" },
    spec: { volumeGroupSnapshotClassName: "none", source: { selector: { matchLabels: { a: "b" } } } },
  });
  await admin.create(VolumeSnapshotContent, {
    metadata: { name: "left-over" },
    spec: {
      ...{ driver, deletionPolicy: "Delete", source: { volumeHandle: "h" } },
      volumeSnapshotRef: { namespace: "default", name: "deleted", uid: "u" },
    },
  });
}

interface Answer {
  readonly stuck: number;
  readonly shown: number;
  readonly items: readonly { readonly subject: string; readonly state: string; readonly summary: string; readonly since?: string }[];
  readonly unreadable: readonly string[];
}

test("everything that is stuck, read with the role of a reader: lists, however many objects there are", async () => {
  await using cluster = await startCluster();
  await fill(cluster);
  const user = cluster.newUser();
  await applyFor(cluster, user, rbacCommand(["--for=why"], allInOne).stdout);
  const { exitCode, stdout, stderr } = await why("-o json", cluster, user);
  expect([exitCode, stderr]).toEqual([0, ""]);
  const answer: Answer = JSON.parse(stdout);
  expect(answer.unreadable).toEqual([]);
  expect(answer.items.map(({ state, subject }) => `${state} ${subject}`)).toEqual(
    [
      "failed Node n1",
      ...["modified", "classless"].map((name) => `failed PersistentVolumeClaim default/${name}`),
      "failed PersistentVolumeClaim team/elsewhere",
      "failed PersistentVolumeClaim default/populated",
      "failed VolumeSnapshot default/backup",
      "failed VolumeGroupSnapshot default/group",
      "failed VolumeSnapshotContent left-over",
      "waiting VolumeAttachment va",
      "waiting PersistentVolumeClaim default/late",
    ].toSorted(byOrderOf(answer)),
  );
  expect(answer.items.findIndex(({ state }) => state === "waiting")).toBe(answer.items.length - 2);
  expect(answer.items[0]?.subject).toBe("Node n1");
  const requests = await cluster.requests({ user: user.name });
  const lists = requests.filter(({ resource }) => resource !== "leases").map(({ verb, resource }) => `${verb} ${resource}`);
  expect(lists.length).toBe(new Set(lists).size);
  expect(new Set(requests.map(({ verb }) => verb))).toEqual(new Set(["list"]));

  for (const each of [
    "pvc fine",
    "pvc modified",
    "pvc classless",
    "pvc populated",
    "pv pv-fine",
    "va va",
    "pod app",
    "node n1",
    "vs backup",
  ])
    expect(JSON.parse((await why(`${each} -o json`, cluster, user)).stdout).unreadable).toEqual([]);
  for (const each of ["vgs group", "vsc left-over", "vgsc none", "pvc nobody", "-n kube-system"]) await why(each, cluster, user);
  const used = (await cluster.requests({ user: user.name })).map(({ verb, resource }) => `${verb} ${resource}`);
  const granted = readerRules("why").flatMap(({ resources, verbs }) => resources.flatMap((each) => verbs.map((verb) => `${verb} ${each}`)));
  expect([...new Set(used)].toSorted()).toEqual(granted.toSorted());

  const text = (await why("--limit=2", cluster, user)).stdout;
  expect(text.split("\n")[0]).toMatch(/^STATE +AGE +OBJECT +WHY$/);
  expect(text).toMatch(/^failed +\d+[dhm] +Node n1 +the node is not ready: 1 attached volume cannot be mounted/m);
  expect(text).toContain("8 failed, 2 waiting; the first 2 are shown (--limit)");
}, 60_000);

/** Objects that were created in the same second have no order. */
function byOrderOf({ items }: Answer): (a: string, b: string) => number {
  const place = (line: string) => items.findIndex(({ state, subject }) => `${state} ${subject}` === line);
  return (a, b) => place(a) - place(b);
}

test("an error that is repeated makes nothing younger", async () => {
  await using cluster = await startCluster();
  await fill(cluster);
  const attachError = { message: "rpc error: code = Internal desc = no", time: "2100-01-01T00:00:00Z" };
  const patch = mergePatch({ status: { attached: false, attachError } });
  const { metadata } = await cluster.admin.patch(VolumeAttachment, { name: "va" }, patch, { subresource: "status" });
  const { items }: Answer = JSON.parse((await why("-o json", cluster, { token: cluster.adminToken })).stdout);
  const { state, since } = items.find(({ subject }) => subject === "VolumeAttachment va") ?? {};
  expect([state, since]).toEqual(["failed", metadata?.creationTimestamp]);
}, 60_000);

test("a volume that waits to be detached is shown unless its attachment is", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  await admin.create(CSIDriver, { metadata: { name: driver }, spec: {} });
  await admin.create(Lease, {
    metadata: { namespace: "default", name: "driver-example-com" },
    spec: { holderIdentity: "host", leaseDurationSeconds: 3_600, renewTime: new Date().toISOString().replace("Z", "000Z") },
  });
  await admin.create(PersistentVolume, {
    metadata: { name: "left", finalizers: ["example.com/kept"] },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, persistentVolumeReclaimPolicy: "Delete" },
      csi: { driver, volumeHandle: "h" },
      claimRef: { namespace: "default", name: "deleted", uid: "u" },
    },
  });
  await admin.patch(PersistentVolume, { name: "left" }, mergePatch({ status: { phase: "Released" } }), { subresource: "status" });
  await admin.create(VolumeAttachment, {
    metadata: { name: "va", finalizers: [`external-attacher/${driver}`] },
    spec: { attacher: driver, nodeName: "n1", source: { persistentVolumeName: "left" } },
  });
  await admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ status: { attached: true } }), { subresource: "status" });
  const stuck = async () => {
    const { items }: Answer = JSON.parse((await why("-n default -o json", cluster, { token: cluster.adminToken })).stdout);
    return items.map(({ subject }) => subject);
  };
  expect(await stuck()).toEqual(["PersistentVolume left"]);
  await admin.delete(VolumeAttachment, { name: "va" });
  expect(await stuck()).toEqual(["VolumeAttachment va"]);
}, 60_000);

test("one namespace; a user who may see only that; nothing stuck", async () => {
  await using cluster = await startCluster();
  await fill(cluster);
  const admin = { token: cluster.adminToken };
  const team: Answer = JSON.parse((await why("-n team -o json", cluster, admin)).stdout);
  expect(team.items.map(({ subject }) => subject)).toEqual(["PersistentVolumeClaim team/elsewhere"]);
  expect((await why("-n kube-system", cluster, admin)).stdout).toBe("nothing is stuck in namespace kube-system\n");
  expect(await why("-n nowhere", cluster, admin)).toEqual({ exitCode: 1, stdout: "", stderr: "namespace nowhere does not exist\n" });
  const stranger = await why("-n team", cluster, cluster.newUser());
  expect(stranger.stdout).toStartWith("what is stuck could not be read\n");
  expect(stranger.exitCode).toBe(1);
  expect(stranger.stdout).toContain("could not read persistentvolumeclaims: needs list on persistentvolumeclaims in namespace team");
  expect(stranger.stdout).toEndWith("\ncsi-sidecars rbac --for=why prints a role that reads all that is needed\n");
  expect(await why("-A -n team", cluster, admin)).toMatchObject({ exitCode: 2 });
  expect(await why("pvc a -A", cluster, admin)).toMatchObject({ exitCode: 2 });
  expect(await why("-w", cluster, admin)).toMatchObject({ exitCode: 2 });
}, 60_000);

test("follows one object until it is gone", async () => {
  await using cluster = await startCluster();
  await fill(cluster);
  const told: string[] = [];
  const files = { read: () => cluster.kubeconfig(cluster.adminToken) };
  const modified = { namespace: "default", name: "modified" };
  const change = () => cluster.admin.patch(PersistentVolumeClaim, modified, mergePatch({ spec: { volumeAttributesClassName: "silver" } }));
  const remove = async () => {
    await cluster.admin.patch(PersistentVolumeClaim, modified, mergePatch({ metadata: { finalizers: null } }));
    await cluster.admin.delete(PersistentVolumeClaim, modified);
  };
  const next = [change, remove];
  const clock = { ...systemClock, sleep: async () => void (await next.shift()?.()) };
  const environment = { env: {}, clock, files, stdout: { write: (text: string) => told.push(text.split("\n")[0] ?? "") } };
  const { exitCode, stderr } = await whyCommand(["-w", "pvc", "modified", "--kubeconfig=/kubeconfig"], allInOne, environment, sidecars);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(told.map((line) => line.replace("PersistentVolumeClaim default/modified: ", ""))).toEqual([
    `VolumeAttributesClass gold is one of driver other.example.com, the volume is one of driver ${driver}`,
    "the claim names VolumeAttributesClass silver, which does not exist",
    "does not exist",
  ]);
}, 60_000);
