import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { runCommand } from "@csi-sidecars/diagnose/commands";
import { whyCommand } from "@csi-sidecars/diagnose/why";
import { realProcessEnv } from "@csi-sidecars/host";
import {
  CSIDriver,
  CSINode,
  mergePatch,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolumeClaim,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@csi-sidecars/kube";
import { type Cluster, startCluster, startComponent, startScriptedDriver, step } from "@csi-sidecars/testcluster";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { commands, responsibleComponents } from "../../cmd/csi-sidecars/commands.ts";
import { attacher } from "../../components/attacher/component.ts";
import { provisioner } from "../../components/provisioner/component.ts";
import { resizer } from "../../components/resizer/component.ts";
import * as resizing from "../../components/resizer/testing/objects.ts";

const driverName = "driver.example.com";
const { program } = chooseProgram("csi-sidecars", []);

/** What `csi-sidecars why <kind> <name>` says, as soon as a step has failed. */
async function why(cluster: Cluster, object: string): Promise<{ readonly summary: string; readonly remedy: string }> {
  const files = { read: () => cluster.kubeconfig(cluster.adminToken) };
  const argv = [...object.split(" "), "-o", "json", "--kubeconfig=/kubeconfig"];
  return until(`a failed step of ${object}`, async () => {
    const { stdout } = await whyCommand(argv, program, { env: {}, clock: systemClock, files }, await responsibleComponents());
    const { state, summary, steps } = JSON.parse(stdout);
    return state === "failed" && { summary, remedy: steps.find(({ what }: { what: string }) => what === summary)?.remedy };
  });
}

/** What a program prints; an individual one knows the work of all components too. */
async function run(program: string, line: string, cluster: Cluster): Promise<string> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), "csi-why-")), (path) => rm(path, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(cluster.adminToken));
  const printed: string[] = [];
  const sink = { write: (text: string) => void printed.push(text), flush() {} };
  const process = { ...realProcessEnv(), argv: [...line.split(" "), `--kubeconfig=${kubeconfig}`], stdout: sink, stderr: sink };
  await runCommand(commands, chooseProgram(program, []).program, process);
  return printed.join("");
}

test("what the provisioner says in events is recognised", async () => {
  await using cluster = await startCluster({ storageControllers: true });
  await using driver = await startScriptedDriver({ name: driverName, capabilities: "minimal" });
  const { admin } = cluster;
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: {} });
  const storageClass = (name: string, parameters: Record<string, string> = {}) =>
    admin.create(StorageClass, { metadata: { name }, provisioner: driverName, parameters });
  const secretName = { "csi.storage.k8s.io/provisioner-secret-name": "gone" };
  await storageClass("plain");
  await storageClass("half", secretName);
  await storageClass("secret", { ...secretName, "csi.storage.k8s.io/provisioner-secret-namespace": "default" });
  const claim = (name: string, storageClassName: string, spec: V1PersistentVolumeClaim["spec"] = {}) =>
    admin.create(PersistentVolumeClaim, {
      metadata: { name, namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName, ...spec },
    });
  await claim("selects", "plain", { selector: { matchLabels: { tier: "gold" } } });
  await claim("secretive", "secret");
  await claim("half", "half");
  const withoutProvisioner = "no lease of the provisioner of driver driver.example.com was found";
  await until("csi-attacher why", async () => (await run("csi-attacher", "why pvc selects", cluster)).includes(withoutProvisioner));
  await using _ = await startComponent(provisioner, { cluster, driver });

  expect(await why(cluster, "pvc selects")).toEqual({
    summary: "the volume could not be created: claim Selector is not supported",
    remedy: expect.stringContaining("recreate the claim without spec.selector"),
  });
  expect(await why(cluster, "pvc secretive")).toEqual({
    summary: expect.stringContaining("the volume could not be created: error getting secret gone in namespace default"),
    remedy: expect.stringContaining("create that secret"),
  });
  expect(await why(cluster, "pvc half")).toEqual({
    summary: expect.stringContaining("the volume could not be created: "),
    remedy: expect.stringContaining("correct the parameters of the class"),
  });
});

test("what the attacher says in the status of an attachment is recognised", async () => {
  await using cluster = await startCluster();
  await using driver = await startScriptedDriver({ name: driverName });
  const { admin } = cluster;
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: {} });
  await admin.create(Node, { metadata: { name: "n1" } });
  await admin.create(CSINode, { metadata: { name: "n1" }, spec: { drivers: [] } });
  await admin.create(PersistentVolume, {
    metadata: { name: "disk" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: { driver: driverName, volumeHandle: "disk" } },
  });
  await admin.create(VolumeAttachment, {
    metadata: { name: "va" },
    spec: { attacher: driverName, nodeName: "n1", source: { persistentVolumeName: "disk" } },
  });
  await using _ = await startComponent(attacher, { cluster, driver });

  expect(await why(cluster, "volumeattachment va")).toEqual({
    summary: `attaching volume disk to node n1 failed: CSINode n1 does not contain driver ${driverName}`,
    remedy: expect.stringContaining("check that the node exists"),
  });
});

test("what the resizer says in events, conditions and statuses is recognised", async () => {
  await using cluster = await startCluster();
  const tooLarge = step.fail("OutOfRange", "at most 3Gi");
  const refused = step.fail("InvalidArgument", "no such tier");
  const script = { ControllerExpandVolume: Array(9).fill(tooLarge), ControllerModifyVolume: Array(9).fill(refused) };
  await using driver = await startScriptedDriver({ name: resizing.driverName, capabilities: "full", script });
  const { admin } = cluster;
  await admin.create(CSIDriver, { metadata: { name: resizing.driverName }, spec: {} });
  await admin.create(StorageClass, {
    metadata: { name: resizing.className },
    provisioner: resizing.driverName,
    allowVolumeExpansion: true,
  });
  await admin.create(VolumeAttributesClass, { metadata: { name: "gold" }, driverName: resizing.driverName, parameters: { tier: "gold" } });
  const bound = async (name: string, change: V1PersistentVolumeClaim["spec"]) => {
    driver.addVolume({ id: resizing.handleOf(name) });
    const claim = await admin.create(PersistentVolumeClaim, resizing.claimOf({ name }));
    await admin.create(PersistentVolume, resizing.volumeOf({ name }, claim.metadata?.uid ?? ""));
    const ref = resizing.inDefault(name);
    await admin.patch(PersistentVolumeClaim, ref, mergePatch({ status: resizing.statusOf({ name }) }), { subresource: "status" });
    await admin.patch(PersistentVolumeClaim, ref, mergePatch({ spec: change }));
  };
  await bound("large", { resources: { requests: { storage: "4Gi" } } });
  await bound("better", { volumeAttributesClassName: "gold" });
  await bound("missing", { volumeAttributesClassName: "platinum" });
  await using _ = await startComponent(resizer, { cluster, driver });

  expect(await why(cluster, "pvc large")).toEqual({
    summary: "the storage cannot provide this size: the storage does not offer the requested size (OutOfRange)",
    remedy: expect.stringMatching(/above 1Gi: that is tried at once; this one is tried again in about \d+[ms]$/),
  });
  expect(await why(cluster, "pvc better")).toEqual({
    summary: expect.stringContaining("the driver rejects the parameters of the VolumeAttributesClass (InvalidArgument)"),
    remedy: expect.stringMatching(/name another class .*; this one is tried again in about \d+[ms]$/),
  });
  expect(await why(cluster, "pvc missing")).toEqual({
    summary: "the claim names VolumeAttributesClass platinum, which does not exist",
    remedy: "create it, or name an existing one in spec.volumeAttributesClassName",
  });
});
