import { describe, expect, test } from "bun:test";
import { type Clock, systemClock } from "@csi-sidecars/base";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { CSINode, mergePatch, PersistentVolume, PersistentVolumeClaim, VolumeAttachment, VolumeSnapshotContent } from "@csi-sidecars/kube";
import {
  type Cluster,
  installDefinitions,
  presets,
  type ScriptedDriver,
  startCluster,
  startScriptedDriver,
  step,
  type TestUser,
} from "@csi-sidecars/testcluster";
import { rbacCommand } from "../rbac/rbac-command.ts";
import { applyFor } from "../testing/apply-manifests.ts";
import { allInOne } from "../testing/programs.ts";
import { auditCommand } from "./audit-command.ts";

const driverName = "driver.example.com";

function audit(line: string, cluster: Cluster, driver: Pick<ScriptedDriver, "address">, user?: TestUser, clock: Clock = systemClock) {
  const files = {
    read(path: string) {
      if (path === "/kubeconfig") return cluster.kubeconfig(user?.token ?? cluster.adminToken);
      throw new Error(`${path}: no such file`);
    },
  };
  const argv = ["--kubeconfig=/kubeconfig", `--csi-address=${driver.address}`, ...line.split(" ").filter(Boolean)];
  return auditCommand(argv, allInOne, { env: {}, clock, files });
}

const volume = ({ admin }: Cluster, name: string, volumeHandle: string) =>
  admin.create(PersistentVolume, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: driverName, volumeHandle },
    },
  });

const attach = async ({ admin }: Cluster, name: string, persistentVolumeName: string) => {
  await admin.create(VolumeAttachment, {
    metadata: { name },
    spec: { attacher: driverName, nodeName: "n1", source: { persistentVolumeName } },
  });
  await admin.patch(VolumeAttachment, { name }, mergePatch({ status: { attached: true } }), { subresource: "status" });
};

describe("csi-sidecars audit", () => {
  test("finds what one side alone has, over all pages of the list; changes nothing", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName });
    const [owned, orphan, image] = ["owned", "orphan", "image-1"].map((id) => driver.addVolume({ id, name: id }).id);
    for (const nextToken of ["", ""])
      driver.script(
        "ListVolumes",
        step.reply({ entries: [entry(owned, "id-1"), entry(image)], nextToken: "2" }),
        step.reply({ entries: [entry(orphan, "id-7")], nextToken }),
      );
    await volume(cluster, "pv-owned", "owned");
    await volume(cluster, "pv-lost", "lost");
    await cluster.admin.create(CSINode, { metadata: { name: "n1" }, spec: { drivers: [{ name: driverName, nodeID: "id-1" }] } });
    await attach(cluster, "va-owned", "pv-owned");
    const { exitCode, stdout, stderr } = await audit("--older-than=10ms --ignore=image-* -o json", cluster, driver);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      driver: driverName,
      clean: false,
      storageVolumes: 2,
      persistentVolumes: 2,
      differences: [
        { kind: "volume without PV", volume: "orphan", since: expect.any(String) },
        { kind: "PV without volume", volume: "lost", object: "PersistentVolume pv-lost", since: expect.any(String) },
        { kind: "published without VolumeAttachment", volume: "orphan", node: "id-7" },
      ],
    });
    expect(exitCode).toBe(1);
    expect(driver.calls("ListVolumes").map(({ request }) => request.startingToken)).toEqual(["", "2", "", "2"]);
    expect(driver.calls().filter(({ method }) => !/^(Get|List|Probe|ControllerGetCapabilities)/.test(method))).toEqual([]);
  });

  test("shows the control characters of foreign texts instead of sending them to the terminal", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName });
    await volume(cluster, "pv-lost", "lost\x1b]0;title\x07\nno differences\x9b2J\u202e");
    const { stdout } = await audit("--older-than=10ms", cluster, driver);
    expect(stdout).toContain(
      "PV without volume  lost\\u001b]0;title\\u0007\\u000ano differences\\u009b2J\\u202e  PersistentVolume pv-lost",
    );
    driver.script("ListVolumes", step.fail("Internal", "no\x1b[2J\nlist"));
    expect((await audit("", cluster, driver)).stderr).toEndWith("code = Internal desc = no\\u001b[2J\\u000alist\n");
  });

  test("a clean storage, as a table", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName, volumes: [{ id: "a", name: "a" }] });
    await volume(cluster, "pv-a", "a");
    expect(await audit("--older-than=0s", cluster, driver)).toEqual({
      exitCode: 0,
      stdout: `1 volume of driver ${driverName} compared with 1 PersistentVolume: no differences\n`,
      stderr: "",
    });
  });

  test("a volume whose PV comes a moment later is no leak; one that stays alone is, with its age", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({
      name: driverName,
      volumes: [
        { id: "slow", name: "slow" },
        { id: "leak", name: "leak" },
      ],
    });
    const waits: Clock = {
      ...systemClock,
      async sleep(ms) {
        expect([ms, driver.calls("ListVolumes").length]).toEqual([90_000, 1]);
        await volume(cluster, "pv-slow", "slow");
      },
    };
    const { exitCode, stdout } = await audit("--older-than=90s", cluster, driver, undefined, waits);
    expect(exitCode).toBe(1);
    expect(stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      "DIFFERENCE | VOLUME | OBJECT | NODE | SIZE | AGE | NOTE",
      "volume without PV | leak | - | - | 1Gi | >= 90s",
      `2 volumes of driver ${driverName} compared with 1 PersistentVolume: 1 difference`,
      "",
    ]);
    const [head = "", row = ""] = stdout.split("\n");
    expect(row.indexOf("leak")).toBe(head.indexOf("VOLUME"));
  });

  test("the pause is told before it begins, on standard error", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName, volumes: [{ id: "a", name: "a" }] });
    const told: string[] = [];
    const files = { read: () => cluster.kubeconfig(cluster.adminToken) };
    const clock: Clock = { ...systemClock, now: () => Date.now(), sleep: async () => void told.push("(pause)") };
    const argv = ["--kubeconfig=/kubeconfig", `--csi-address=${driver.address}`];
    const { stdout } = await auditCommand(argv, allInOne, { env: {}, clock, files, stderr: { write: (text) => told.push(text) } });
    expect(told).toEqual([
      `driver ${driverName} lists 1 volume; they are listed again in 15s (--older-than), to tell apart what is only being created\n`,
      "(pause)",
    ]);
    expect(stdout).toContain("volume without PV");
  });

  test("a volume that is named after a claim is in progress as long as the claim is not bound", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName });
    for (const phase of ["Pending", "Bound", "Lost"]) {
      const ref = { namespace: "default", name: phase.toLowerCase() };
      const { metadata } = await cluster.admin.create(PersistentVolumeClaim, {
        metadata: ref,
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      await cluster.admin.patch(PersistentVolumeClaim, ref, mergePatch({ status: { phase } }), { subresource: "status" });
      driver.addVolume({ id: `${phase}-${metadata?.uid}`, name: phase });
    }
    const { exitCode, stdout } = await audit("--older-than=0s", cluster, driver);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^volume without PV +Bound-/m);
    expect(stdout).toMatch(/^volume without PV +Lost-/m);
    expect(stdout).toMatch(/^1 claim is not bound: /m);
    expect(stdout).toMatch(/^in progress +Pending-.* >= 0s +is being created for claim default\/pending$/m);
  });

  test("claims that other provisioners serve, or that name their volume, are nothing to wait for", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName });
    const by = (provisioner: string) => ({ "volume.kubernetes.io/storage-provisioner": provisioner });
    const claims: readonly [string, Record<string, string>, object][] = [
      ["ours", by(driverName), {}],
      ["moved", { ...by("kubernetes.io/aws-ebs"), "pv.kubernetes.io/migrated-to": driverName }, {}],
      ["theirs", by("other.example.com"), {}],
      ["pinned", {}, { volumeName: "nowhere" }],
    ];
    for (const [name, annotations, spec] of claims) {
      await cluster.admin.create(PersistentVolumeClaim, {
        metadata: { namespace: "default", name, annotations },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast", ...spec },
      });
    }
    driver.addVolume({ id: "leak", name: "leak" });
    expect((await audit("--older-than=0s", cluster, driver)).stdout).toMatch(/^2 claims are not bound: /m);
  });

  test("a PV that is deleted right after its volume is not reported", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName });
    await volume(cluster, "pv-deleted", "deleted");
    driver.script(
      "ListVolumes",
      step.act,
      step.reply(async () => {
        await cluster.admin.patch(PersistentVolume, { name: "pv-deleted" }, mergePatch({ metadata: { finalizers: null } }));
        await cluster.admin.delete(PersistentVolume, { name: "pv-deleted" });
        return { entries: [], nextToken: "" };
      }),
    );
    expect(await audit("--older-than=0s", cluster, driver)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("a driver that does not say where volumes are published: volumes alone are compared", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({
      name: driverName,
      capabilities: { ...presets.minimal, controller: ["LIST_VOLUMES"] },
    });
    const { exitCode, stdout } = await audit("--older-than=0s", cluster, driver);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("the driver does not report where volumes are published: VolumeAttachments are not compared\n");
    expect((await cluster.requests({ user: "admin", resource: "volumeattachments" })).filter(({ verb }) => verb === "list")).toEqual([]);
  });

  test("what cannot be compared is neither clean nor different", async () => {
    await using cluster = await startCluster();
    await using unable = await startScriptedDriver({ name: driverName, capabilities: "minimal" });
    expect(await audit("", cluster, unable)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `driver ${driverName} cannot list its volumes (it lacks the capability LIST_VOLUMES): compare with the storage's own tools\n`,
    });
    await using failing = await startScriptedDriver({ name: driverName, script: { ListVolumes: [step.fail("Internal", "no")] } });
    const failed = await audit("--older-than=0s", cluster, failing);
    expect([failed.exitCode, failed.stderr]).toEqual([2, "the comparison failed: rpc error: code = Internal desc = no\n"]);
    await using endless = await startScriptedDriver({ name: driverName });
    endless.always("ListVolumes", step.reply({ entries: [], nextToken: "1" }));
    expect((await audit("--older-than=0s", cluster, endless)).stderr).toContain("the driver's ListVolumes gave the same next_token twice");
    const away = await audit("--time-limit=200ms", cluster, { address: "/nowhere/csi.sock" });
    expect([away.exitCode, away.stderr]).toEqual([2, expect.stringContaining("no CSI driver answers at /nowhere/csi.sock")]);
    for (const line of ["--nonsense", "--older-than=-1s", "--controllers=nobody"])
      expect((await audit(line, cluster, unable)).exitCode).toBe(2);
    expect((await audit("--help", cluster, unable)).stdout).toContain("--older-than duration (default 15s)");
  });

  test("a user who may see volumes alone is told what was left out; one who may not, that nothing can be said", async () => {
    await using cluster = await startCluster();
    await using driver = await startScriptedDriver({ name: driverName });
    const user = cluster.newUser();
    const stranger = await audit("--older-than=0s", cluster, driver, user);
    expect(stranger).toMatchObject({ exitCode: 2, stdout: "" });
    expect(stranger.stderr).toContain("could not read persistentvolumes: needs list on persistentvolumes");
    const atOnce = await audit("--older-than=1h", cluster, driver, user);
    expect([atOnce.exitCode, atOnce.stderr]).toEqual([
      2,
      "could not read persistentvolumes: needs list on persistentvolumes\ncsi-sidecars rbac --for=audit prints a role that reads all that is needed\n",
    ]);
    await applyFor(cluster, user, viewer);
    const { exitCode, stdout } = await audit("--older-than=0s -o json", cluster, driver, user);
    const answer = JSON.parse(stdout);
    expect([exitCode, answer]).toEqual([2, expect.objectContaining({ clean: false, incomplete: true, differences: [] })]);
    expect([...answer.notes].sort()).toEqual([
      "could not read csinodes: needs list on csinodes.storage.k8s.io",
      "could not read persistentvolumeclaims: needs list on persistentvolumeclaims",
      "could not read volumeattachments: needs list on volumeattachments.storage.k8s.io",
      "csi-sidecars rbac --for=audit prints a role that reads all that is needed",
      "where volumes are published is not compared: that needs VolumeAttachments and CSINodes",
    ]);
    const table = await audit("--older-than=0s", cluster, driver, user);
    expect([table.exitCode, table.stdout]).toEqual([
      2,
      expect.stringContaining("0 PersistentVolumes: no differences, as far as could be read\n"),
    ]);
    driver.addVolume({ id: "leak", name: "leak" });
    const leak = await audit("--older-than=0s", cluster, driver, user);
    expect([leak.exitCode, leak.stdout]).toEqual([
      1,
      expect.stringContaining("claims could not be read: a volume without PV may belong to one that is not bound"),
    ]);
  });
});

describe("csi-sidecars audit of snapshots", () => {
  const addContent = async ({ admin }: Cluster, name: string, snapshotHandle: string) => {
    const spec = { deletionPolicy: "Delete" as const, driver: driverName, source: { volumeHandle: "v" } };
    await admin.create(VolumeSnapshotContent, {
      metadata: { name },
      spec: { ...spec, volumeSnapshotRef: { namespace: "ns", name: "backup" } },
    });
    await admin.patch(VolumeSnapshotContent, { name }, mergePatch({ status: { snapshotHandle, readyToUse: true } }), {
      subresource: "status",
    });
  };
  const listed = (...ids: readonly string[]) =>
    ids.map((snapshotId) => ({ snapshot: { snapshotId, sourceVolumeId: "v", sizeBytes: 1n, readyToUse: true, groupSnapshotId: "" } }));
  const serve = async (cluster: Cluster) => {
    await installDefinitions(cluster.admin, snapshotDefinitions);
    await volume(cluster, "pv-v", "v");
  };

  test("finds what one side alone has, over all pages; a content that goes meanwhile is none", async () => {
    await using cluster = await startCluster();
    await serve(cluster);
    await using driver = await startScriptedDriver({ name: driverName, capabilities: "full", volumes: [{ id: "v", name: "v" }] });
    for (const each of ["owned", "lost", "going"]) await addContent(cluster, `content-${each}`, each);
    driver.script(
      "ListSnapshots",
      step.reply({ entries: listed("owned"), nextToken: "2" }),
      step.reply({ entries: listed("leak"), nextToken: "" }),
      step.reply({ entries: listed("owned"), nextToken: "2" }),
      step.reply(async () => {
        await cluster.admin.delete(VolumeSnapshotContent, { name: "content-going" });
        return { entries: listed("leak"), nextToken: "" };
      }),
    );
    const { exitCode, stdout, stderr } = await audit("--older-than=10ms", cluster, driver);
    expect([exitCode, stderr]).toEqual([1, ""]);
    expect(stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      "DIFFERENCE | VOLUME | SNAPSHOT | OBJECT | NODE | SIZE | AGE | NOTE",
      "snapshot without content | v | leak | - | - | 1 | >= 0s",
      expect.stringMatching(
        /^content without snapshot \| v \| lost \| VolumeSnapshotContent content-lost \| - \| - \| \d+s \| ready, snapshot ns\/backup$/,
      ),
      `1 volume of driver ${driverName} compared with 1 PersistentVolume: no differences`,
      "2 snapshots compared with 2 VolumeSnapshotContents: 2 differences",
      "",
    ]);
    expect(driver.calls("ListSnapshots").map(({ request }) => request.startingToken)).toEqual(["", "2", "", "2"]);
    expect(driver.calls().filter(({ method }) => !/^(Get|List|Probe|ControllerGetCapabilities)/.test(method))).toEqual([]);
  });

  test("all is well, for programs", async () => {
    await using cluster = await startCluster();
    await serve(cluster);
    await using driver = await startScriptedDriver({ name: driverName, capabilities: "full", volumes: [{ id: "v", name: "v" }] });
    driver.always("ListSnapshots", step.reply({ entries: listed("a"), nextToken: "" }));
    await addContent(cluster, "content-a", "a");
    const { exitCode, stdout } = await audit("--older-than=0s -o json", cluster, driver);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ clean: true, incomplete: false, storageSnapshots: 1, snapshotContents: 1, differences: [] });
  });

  test.each(["volumesnapshotcontents", "volumegroupsnapshotcontents"])(
    "snapshots are no leaks, and not compared either, where %s may not be read",
    async (hidden) => {
      await using cluster = await startCluster();
      await serve(cluster);
      await using driver = await startScriptedDriver({ name: driverName, capabilities: "full", volumes: [{ id: "v", name: "v" }] });
      driver.always("ListSnapshots", step.reply({ entries: listed("member"), nextToken: "" }));
      const user = cluster.newUser();
      const rules = rbacCommand(["--for=audit"], allInOne).stdout.replaceAll(new RegExp(`\\b${hidden}\\b`, "g"), "others");
      await applyFor(cluster, user, rules);
      const { exitCode, stdout } = await audit("--older-than=0s -o json", cluster, driver, user);
      const answer = JSON.parse(stdout);
      expect([exitCode, answer]).toEqual([2, expect.objectContaining({ clean: false, incomplete: true, differences: [] })]);
      expect(answer.storageSnapshots).toBeUndefined();
      expect(answer.notes).toContain("snapshots are not compared: that needs VolumeSnapshotContents and VolumeGroupSnapshotContents");
    },
  );

  test("a driver that takes snapshots and cannot list them: volumes alone are compared, and that is said", async () => {
    await using cluster = await startCluster();
    await serve(cluster);
    await using driver = await startScriptedDriver({
      name: driverName,
      capabilities: { ...presets.minimal, controller: ["LIST_VOLUMES", "CREATE_DELETE_SNAPSHOT"] },
      volumes: [{ id: "v", name: "v" }],
    });
    await addContent(cluster, "content-a", "a");
    const { exitCode, stdout } = await audit("--older-than=0s", cluster, driver);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("the driver cannot list its snapshots (it lacks the capability LIST_SNAPSHOTS): they are not compared\n");
    expect(stdout).not.toContain("VolumeSnapshotContent");
  });

  test("a list that fails is no answer; snapshots can be left out", async () => {
    await using cluster = await startCluster();
    await serve(cluster);
    await using driver = await startScriptedDriver({ name: driverName, capabilities: "full", volumes: [{ id: "v", name: "v" }] });
    driver.always("ListSnapshots", step.fail("InvalidArgument", "no secret"));
    const failed = await audit("--older-than=0s", cluster, driver);
    expect([failed.exitCode, failed.stdout]).toEqual([2, ""]);
    expect(failed.stderr).toContain("--snapshots=false compares volumes alone");
    expect(failed.stderr).toContain("no secret");
    expect(await audit("--older-than=0s --snapshots=false", cluster, driver)).toMatchObject({ exitCode: 0, stderr: "" });
    driver.always("ListSnapshots", step.reply({ entries: [], nextToken: "1" }));
    expect((await audit("--older-than=0s", cluster, driver)).stderr).toContain("ListSnapshots gave the same next_token twice");
  });
});

const entry = (volumeId = "", ...publishedNodeIds: string[]) => ({ volume: { volumeId, capacityBytes: 1n }, status: { publishedNodeIds } });

const viewer = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: audit-viewer }
rules:
  - { apiGroups: [""], resources: [persistentvolumes], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: audit-viewer }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: audit-viewer }
subjects: []
`;
