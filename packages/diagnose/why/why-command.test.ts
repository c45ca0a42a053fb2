import { describe, expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import {
  CSIDriver,
  CSINode,
  Event,
  Lease,
  mergePatch,
  microTime,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  StorageClass,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { type Cluster, startCluster, startScriptedDriver, type TestUser } from "@csi-sidecars/testcluster";
import { applyFor } from "../testing/apply-manifests.ts";
import { allInOne } from "../testing/programs.ts";
import { operands } from "./object-argument.ts";
import { sidecars } from "./testing/sidecars.ts";
import { whyCommand } from "./why-command.ts";

const driver = "driver.example.com";
/** A real kube-controller-manager looks at claims that wait every 15 s. */
const patienceMs = 40_000;
const inDefault = (name: string) => ({ namespace: "default", name });

/** Runs the command with a kubeconfig of the user. */
function why(line: string, cluster: Pick<Cluster, "kubeconfig" | "adminToken">, user?: TestUser) {
  const files = {
    read(path: string) {
      if (path === "/kubeconfig") return cluster.kubeconfig(user?.token ?? cluster.adminToken);
      throw new Error(`${path}: no such file`);
    },
  };
  const argv = [...line.split(" "), "--kubeconfig=/kubeconfig"];
  return whyCommand(argv, allInOne, { env: {}, clock: systemClock, files }, sidecars);
}

const summary = async (...given: Parameters<typeof why>) => {
  const { stdout, stderr } = await why(`${given[0]} -o json`, given[1], given[2]);
  expect(stderr).toBe("");
  return JSON.parse(stdout).summary as string;
};

const objects = ({ admin }: Cluster) => ({
  storageClass: (volumeBindingMode: "Immediate" | "WaitForFirstConsumer") =>
    admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver, volumeBindingMode, allowVolumeExpansion: true }),
  claim: (name: string, storageClassName: string) =>
    admin.create(PersistentVolumeClaim, {
      metadata: inDefault(name),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
    }),
  volume: (name: string, spec: object = {}) =>
    admin.create(PersistentVolume, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        storageClassName: "by-hand",
        persistentVolumeReclaimPolicy: "Retain",
        csi: { driver, volumeHandle: `handle-of-${name}` },
        ...spec,
      },
    }),
  pod: (name: string, claimName: string, spec: object = {}) =>
    admin.create(Pod, {
      metadata: inDefault(name),
      spec: { containers: [{ name: "main", image: "app" }], volumes: [{ name: "v", persistentVolumeClaim: { claimName } }], ...spec },
    }),
  lease: (name: string, renewed: number) =>
    admin.create(Lease, {
      metadata: { namespace: "default", name },
      spec: { holderIdentity: "host-1", leaseDurationSeconds: 15, renewTime: microTime(renewed) },
    }),
  phase: (name: string, phase: string) =>
    until(
      `claim ${name} is ${phase}`,
      async () => (await admin.get(PersistentVolumeClaim, inDefault(name))).status?.phase === phase,
      patienceMs,
    ),
});

describe("csi-sidecars why", () => {
  test("a claim, from its class to the driver's error", async () => {
    await using cluster = await startCluster({ storageControllers: true });
    const { admin } = cluster;
    const create = objects(cluster);
    await create.claim("data", "fast");
    expect(await summary("pvc default/data", cluster)).toBe("the claim names class fast, which does not exist");

    await create.storageClass("Immediate");
    await until(
      "the provisioner is asked",
      async () => {
        const { metadata } = await admin.get(PersistentVolumeClaim, inDefault("data"));
        return metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"];
      },
      patienceMs,
    );
    expect(await summary("pvc data", cluster)).toBe(
      `driver ${driver} seems not to be installed: there is neither a CSIDriver object nor a lease of its provisioner`,
    );

    await admin.create(CSIDriver, { metadata: { name: driver }, spec: {} });
    await create.lease("driver-example-com", Date.now() - 600_000);
    expect(await summary("pvc default/data", cluster)).toBe(
      `the provisioner of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 10m`,
    );

    await admin.patch(Lease, inDefault("driver-example-com"), mergePatch({ spec: { renewTime: microTime(Date.now()) } }));
    expect(await summary("pvc default/data", cluster)).toBe(`${driver} has not reported anything about the claim`);
    await admin.patch(Lease, inDefault("driver-example-com"), mergePatch({ spec: { renewTime: microTime(Date.now() - 600_000) } }));
    await create.lease("chosen", Date.now());
    expect(await summary("pvc default/data --leader-election-lease-name=chosen", cluster)).toBe(
      `${driver} has not reported anything about the claim`,
    );

    const { metadata } = await admin.get(PersistentVolumeClaim, inDefault("data"));
    const time = new Date().toISOString().replace(/\.\d+/, "");
    await admin.create(Event, {
      metadata: { namespace: "default", name: "data.1" },
      involvedObject: { kind: "PersistentVolumeClaim", namespace: "default", name: "data", ...(metadata?.uid && { uid: metadata.uid }) },
      reason: "ProvisioningFailed",
      type: "Warning",
      message: 'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = pool is full',
      source: { component: `${driver}_host_1` },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 2,
    });
    const { stdout, exitCode } = await why("pvc default/data", cluster);
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith(
      `PersistentVolumeClaim default/data: the volume could not be created: the storage has no capacity left, or a quota is exceeded (ResourceExhausted)\n`,
    );
    expect(stdout).toContain(`event ProvisioningFailed (2 times): failed to provision volume with StorageClass "fast": rpc error`);
    expect(stdout).toContain("-> free or add capacity, or raise the quota");
    expect(stdout).not.toContain("\x1b");
  }, 60_000);

  test("of two events in the same second the one that was written last counts", async () => {
    await using cluster = await startCluster();
    const { admin } = cluster;
    const create = objects(cluster);
    await create.claim("data", "");
    await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
    const { metadata } = await admin.get(PersistentVolumeClaim, inDefault("data"));
    const time = new Date().toISOString().replace(/\.\d+/, "");
    const report = (name: string, reason: string, message: string) =>
      admin.create(Event, {
        metadata: { namespace: "default", name },
        involvedObject: { kind: "PersistentVolumeClaim", ...inDefault("data"), ...(metadata?.uid && { uid: metadata.uid }) },
        ...{ reason, message, type: "Warning", firstTimestamp: time, lastTimestamp: time, count: 1 },
      });
    const isAbnormal = "the driver reports that the volume is abnormal: smoke";
    await report("b", "VolumeConditionNormal", "fine");
    await report("a", "VolumeConditionAbnormal", "smoke");
    const answer = await why("pvc data -o json", cluster);
    expect(JSON.parse(answer.stdout).steps).toContainEqual(expect.objectContaining({ state: "failed", what: isAbnormal }));
    expect(answer.exitCode).toBe(0);
    await report("c", "VolumeConditionNormal", "fine");
    expect((await why("pvc data", cluster)).stdout).not.toContain(isAbnormal);
  });

  test("shows the control characters of foreign texts instead of sending them to the terminal", async () => {
    await using cluster = await startCluster();
    const { admin } = cluster;
    const create = objects(cluster);
    await create.storageClass("WaitForFirstConsumer");
    await create.claim("data", "fast");
    const annotations = { "volume.kubernetes.io/selected-node": "n\x1b[2J\nPersistentVolumeClaim default/data: all is well" };
    await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { annotations } }));
    const { stdout } = await why("pvc default/data", cluster);
    expect(stdout).toContain("n\\u001b[2J\\u000aPersistentVolumeClaim default/data: all is well");
    expect(stdout).not.toContain("\x1b");
  });

  test("late binding: no pod, then a pod that nothing fits, and the pod itself", async () => {
    await using cluster = await startCluster({ storageControllers: true });
    const create = objects(cluster);
    await create.storageClass("WaitForFirstConsumer");
    await create.claim("data", "fast");
    expect(await summary("pvc default/data", cluster)).toBe("no pod uses the claim, and its class creates volumes only when one does");
    await create.pod("app", "data", { schedulerName: "nobody" });
    const waits = "the scheduler has not selected a node for pod default/app yet";
    expect(await summary("pvc default/data", cluster)).toBe(waits);
    expect(await summary("pod default/app", cluster)).toBe(`PersistentVolumeClaim default/data: ${waits}`);
  }, 60_000);

  test("a volume by hand: not matched, bound, released; a claim in deletion", async () => {
    await using cluster = await startCluster({ storageControllers: true });
    const { admin } = cluster;
    const create = objects(cluster);
    await create.volume("disk", { accessModes: ["ReadOnlyMany"] });
    await create.claim("data", "by-hand");
    await admin.create(StorageClass, {
      metadata: { name: "by-hand" },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "Immediate",
    });
    await until(
      "the volume is available",
      async () => (await admin.get(PersistentVolume, { name: "disk" })).status?.phase === "Available",
      patienceMs,
    );
    const problem = "it does not support ReadWriteOnce (only ReadOnlyMany)";
    expect(await summary("pvc default/data", cluster)).toBe(`no available volume matches (of 1); the closest is disk: ${problem}`);
    expect(await summary("pv disk", cluster)).toBe(`no pending claim matches the volume; the closest is default/data: ${problem}`);

    await create.volume("fitting");
    await create.phase("data", "Bound");
    expect(await summary("pvc default/data", cluster)).toBe("nothing is waiting: the claim is bound");
    await until(
      "the volume is bound",
      async () => (await admin.get(PersistentVolume, { name: "fitting" })).status?.phase === "Bound",
      patienceMs,
    );
    expect(await summary("pv fitting", cluster)).toBe("nothing is waiting: the volume is Bound");

    await create.pod("app", "data", { nodeName: "n1" });
    await admin.delete(PersistentVolumeClaim, inDefault("data"));
    expect(await summary("pvc default/data", cluster)).toBe(
      "the claim is being deleted, and is kept because a pod uses it: default/app (on n1)",
    );
    await admin.delete(Pod, inDefault("app"), { gracePeriodSeconds: 0 });
    await until(
      "the volume is released",
      async () => (await admin.get(PersistentVolume, { name: "fitting" })).status?.phase === "Released",
      patienceMs,
    );
    expect(await summary("pv fitting", cluster)).toBe("the volume is kept: its reclaim policy is Retain");
    const gone = await why("pvc default/data", cluster);
    expect([gone.exitCode, gone.stdout.split("\n")[0]]).toEqual([1, "PersistentVolumeClaim default/data: does not exist"]);
  }, 60_000);

  test("an attachment, with the driver's own answer, and no secret anywhere", async () => {
    await using cluster = await startCluster();
    await using storage = await startScriptedDriver({ name: driver });
    const { admin } = cluster;
    const create = objects(cluster);
    await admin.create(Secret, { metadata: inDefault("keys"), stringData: { key: "hunter2" } });
    await create.volume("disk", {
      csi: { driver, volumeHandle: "h", controllerPublishSecretRef: inDefault("keys"), volumeAttributes: { token: "hunter2" } },
    });
    await admin.create(VolumeAttachment, {
      metadata: { name: "va" },
      spec: { attacher: driver, nodeName: "n1", source: { persistentVolumeName: "disk" } },
    });
    expect(await summary("va va", cluster)).toBe("node n1 does not exist any more");
    expect(await summary("node n1", cluster)).toBe(
      "the node does not exist any more, and 1 attached volume is still to be detached from it",
    );
    await admin.create(Node, { metadata: { name: "n1" } });
    expect(await summary("va va", cluster)).toBe(
      `driver ${driver} seems not to be installed: there is neither a CSIDriver object nor a lease of its attacher`,
    );
    expect((await why("va va", cluster)).stdout).toContain("-> install the driver: its volumes need it\n");
    await admin.create(CSINode, { metadata: { name: "n1" }, spec: { drivers: [{ name: driver, nodeID: "id-1" }] } });
    await create.lease("external-attacher-leader-driver-example-com", Date.now());
    const asked = await why(`volumeattachment va --csi-address=${storage.address}`, cluster);
    expect(asked.stdout).toContain(`done     driver ${driver} answers and is ready`);
    const time = new Date().toISOString().replace(/\.\d+/, "");
    const attachError = { message: "rpc error: code = NotFound desc = no such volume", time };
    await admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ status: { attached: false, attachError } }), {
      subresource: "status",
    });
    const { stdout } = await why("volumeattachment va", cluster);
    expect(stdout).toContain("to node n1 failed: the storage does not know the volume or the node (NotFound)");
    expect(stdout).toContain(`status.attachError: rpc error: code = NotFound desc = no such volume (at ${time}, `);
    await storage.kill();
    const silent = await why(`volumeattachment va --csi-address=${storage.address} --time-limit=300ms -o json`, cluster);
    expect(JSON.parse(silent.stdout).summary).toStartWith("no CSI driver answers at");
    expect(`${asked.stdout}${stdout}${silent.stdout}`).not.toContain("hunter2");
    expect((await cluster.requests()).filter(({ verb, resource }) => resource === "secrets" && verb === "get")).toEqual([]);
  });

  test("a claim that has to be expanded, modified or populated, and a pod whose volume is attached to another node", async () => {
    await using cluster = await startCluster();
    const { admin } = cluster;
    const create = objects(cluster);
    await create.storageClass("Immediate");
    await create.volume("disk");
    await admin.create(PersistentVolumeClaim, {
      metadata: inDefault("data"),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, storageClassName: "fast", volumeName: "disk" },
    });
    const status = { phase: "Bound", capacity: { storage: "1Gi" } };
    await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status }), { subresource: "status" });
    await admin.create(CSIDriver, { metadata: { name: driver }, spec: { attachRequired: true } });
    await create.lease("external-resizer-driver-example-com", Date.now());
    expect(await summary("pvc default/data", cluster)).toBe("no resizer has started to expand the volume");

    const pending = [{ type: "FileSystemResizePending", status: "True", lastProbeTime: null, lastTransitionTime: null }];
    await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: { conditions: pending } }), { subresource: "status" });
    expect(await summary("pvc default/data", cluster)).toBe("the file system is expanded when a pod uses the claim, and none does");

    await admin.patch(
      PersistentVolumeClaim,
      inDefault("data"),
      mergePatch({ status: { conditions: null, capacity: { storage: "2Gi" } } }),
      { subresource: "status" },
    );
    expect(await summary("pvc default/data", cluster)).toBe("nothing is waiting: the claim is bound");

    await create.pod("app", "data", { nodeName: "n1" });
    expect(await summary("pod default/app", cluster)).toBe(
      "volume disk has to be attached to node n1, and there is no VolumeAttachment yet",
    );
    await admin.create(VolumeAttachment, {
      metadata: { name: "elsewhere" },
      spec: { attacher: driver, nodeName: "n2", source: { persistentVolumeName: "disk" } },
    });
    expect(await summary("pod default/app", cluster)).toBe(
      "volume disk has to be attached to node n1, and is still attached to n2, where no pod uses it any more",
    );

    await admin.create(PersistentVolumeClaim, {
      metadata: inDefault("copy"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "fast",
        dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "yesterday" },
      },
    });
    expect(await summary("pvc default/copy", cluster)).toBe(
      "the data source is VolumeSnapshot default/yesterday, and the cluster does not serve that kind",
    );
    await admin.create(PersistentVolumeClaim, {
      metadata: inDefault("clone"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "fast",
        dataSource: { kind: "PersistentVolumeClaim", name: "copy" },
      },
    });
    expect(await summary("pvc default/clone", cluster)).toBe("the clone source PersistentVolumeClaim default/copy is not bound");
  });

  test("an empty choice of a node is none; a volume of an in-tree plugin is for the driver that replaced it", async () => {
    await using cluster = await startCluster();
    const { admin } = cluster;
    const create = objects(cluster);
    await create.storageClass("WaitForFirstConsumer");
    await create.claim("data", "fast");
    const annotations = { "volume.kubernetes.io/selected-node": "" };
    await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { annotations } }));
    expect(await summary("pvc default/data", cluster)).toBe("no pod uses the claim, and its class creates volumes only when one does");

    await admin.create(PersistentVolume, {
      metadata: {
        name: "old",
        annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/gce-pd", "pv.kubernetes.io/migrated-to": driver },
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        persistentVolumeReclaimPolicy: "Delete",
        gcePersistentDisk: { pdName: "disk" },
        claimRef: { namespace: "default", name: "gone", uid: "gone" },
      },
    });
    await admin.patch(PersistentVolume, { name: "old" }, mergePatch({ status: { phase: "Released" } }), { subresource: "status" });
    await admin.create(CSIDriver, { metadata: { name: driver }, spec: {} });
    await create.lease("driver-example-com", Date.now());
    expect(await summary("pv old", cluster)).toBe("the driver is deleting the volume, or the next attempt is due soon");
  });

  test("with the rights to see one namespace: says what it could not read, and what that needs; reads only", async () => {
    await using cluster = await startCluster();
    const create = objects(cluster);
    await create.storageClass("Immediate");
    await create.claim("data", "fast");
    await cluster.admin.patch(
      PersistentVolumeClaim,
      inDefault("data"),
      mergePatch({ metadata: { annotations: { "volume.kubernetes.io/storage-provisioner": driver } } }),
    );
    const user = cluster.newUser();
    await applyFor(cluster, user, viewer);
    const { stdout, exitCode } = await why("pvc default/data", cluster, user);
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith(`PersistentVolumeClaim default/data: ${driver} has not reported anything about the claim\n`);
    expect(stdout.split("\n").filter((line) => line.startsWith("could not"))).toEqual([
      `could not read CSIDriver ${driver}: needs get on csidrivers.storage.k8s.io`,
      "could not read StorageClass fast: needs get on storageclasses.storage.k8s.io",
      "could not read leases: needs list on leases.coordination.k8s.io",
    ]);
    const stranger = await why("pvc default/data", cluster, cluster.newUser());
    expect([stranger.exitCode, stranger.stdout.split("\n")[0]]).toEqual([
      1,
      "PersistentVolumeClaim default/data: could not be read: needs get on persistentvolumeclaims in namespace default",
    ]);
    expect(stranger.stdout.split("\n").slice(1)).toEqual([
      "",
      "  failed   could not be read: needs get on persistentvolumeclaims in namespace default",
      "           -> use a kubeconfig whose user has that permission",
      "",
      "csi-sidecars rbac --for=why prints a role that reads all that is needed",
      "",
    ]);
    expect(JSON.parse((await why("pvc default/data -o json", cluster, cluster.newUser())).stdout).unreadable).toHaveLength(1);
    const verbs = (await cluster.requests({ user: user.name })).map(({ verb }) => verb);
    expect(verbs.filter((verb) => verb !== "get" && verb !== "list")).toEqual([]);
  });

  test("misuse, help, and an API server that is not there", async () => {
    const nobody = { adminToken: "", kubeconfig: () => "{}" };
    expect(await why("secret a/b", nobody)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `cannot explain "secret": name ${operands}\n`,
    });
    expect((await why("pvc a/b --nonsense", nobody)).exitCode).toBe(2);
    expect((await why("--limit=0", nobody)).stderr).toBe(
      'invalid value "0" for flag --limit: must be at least 1\nRun csi-sidecars why --help for usage.\n',
    );
    expect((await why("pvc a/b --time-limit=0", nobody)).stderr).toContain("--time-limit: must be greater than zero");
    expect((await why("--help", nobody)).stdout).toStartWith(`Usage: csi-sidecars why [${operands}] [flags]`);
    const unconfigured = await why("pvc a/b", nobody);
    expect([unconfigured.exitCode, unconfigured.stdout]).toEqual([1, ""]);
    expect(unconfigured.stderr).toContain("/kubeconfig");
  });
});

const viewer = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: viewer, namespace: default }
rules:
  - { apiGroups: [""], resources: [persistentvolumeclaims, pods, events], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: viewer, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: viewer }
subjects: []
`;
