import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf, formatBytes } from "@csi-sidecars/base";
import {
  mergePatch,
  PersistentVolumeClaim,
  type Resource,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/cluster.ts";
import type { OurDriver } from "../driver/driver.ts";
import { podFolder } from "../kubelet/pod-volumes.ts";
import type { Playground } from "../playground.ts";
import { boundVolume, createClaim, createPod, demoClass, inDefault, present, runsOn, type Step } from "./step.ts";

const claimName = "data";
const podName = "app";
const snapshotName = "before";
const restoredName = "restored";
const groupName = "both";
const groupLabel = { group: groupName };
const content = { before: "old data", after: "new data" };

const fileOf = ({ nodeService: { folder } }: Playground, pod: string) => join(podFolder(folder, inDefault(pod)), "data", "notes");

/** A snapshot is taken and restored, two claims are snapshot together, and everything is deleted again. */
export function snapshotSteps(playground: Playground): readonly Step[] {
  const { hostpath, info } = playground.driver;
  return [
    takeSnapshot(playground, hostpath),
    restoreSnapshot(playground, hostpath),
    ...(info.groupSnapshots ? [takeGroupSnapshot(playground, hostpath)] : []),
    deleteSnapshots(playground, hostpath),
  ];
}

/** Only in the volumes of our driver can the demo write. */
const takeSnapshot = (playground: Playground, hostpath: OurDriver | undefined): Step => ({
  title: `${hostpath ? `Write "${content.before}" to the volume of the pod "${podName}" and take` : "Take"} the snapshot "${snapshotName}" of its claim`,
  async act() {
    if (hostpath) await writeFile(fileOf(playground, podName), content.before);
    await playground.admin.create(VolumeSnapshot, {
      metadata: inDefault(snapshotName),
      spec: { source: { persistentVolumeClaimName: claimName } },
    });
  },
  expected: "the snapshot to be ready to use",
  async check() {
    const { status } = (await present(playground, VolumeSnapshot, inDefault(snapshotName))) ?? {};
    const name = status?.boundVolumeSnapshotContentName;
    if (!status?.readyToUse || name === undefined) return undefined;
    const id = (await present(playground, VolumeSnapshotContent, { name }))?.status?.snapshotHandle;
    const ready = `ready to use${status.restoreSize === undefined ? "" : `, ${formatBytes(bytesOf(status.restoreSize))}`}, snapshot ID ${id}`;
    if (!hostpath) return ready;
    return (await hostpath.control.snapshots()).some((snapshot) => snapshot.id === id) ? `${ready} in the driver` : undefined;
  },
});

const restoreSnapshot = (playground: Playground, hostpath: OurDriver | undefined): Step => ({
  title: `${hostpath ? `Write "${content.after}" to the same file, and restore` : "Restore"} the snapshot to the new claim "${restoredName}" of another pod`,
  async act() {
    if (hostpath) await writeFile(fileOf(playground, podName), content.after);
    const snapshot = await playground.admin.get(VolumeSnapshot, inDefault(snapshotName));
    const dataSource = { apiGroup: VolumeSnapshot.group, kind: VolumeSnapshot.kind, name: snapshotName };
    const storage = String(snapshot.status?.restoreSize ?? "1Gi");
    await createClaim(playground, restoredName, demoClass, { dataSource, resources: { requests: { storage } } });
    await createPod(playground, restoredName, restoredName);
  },
  expected: hostpath ? "the pod running with the data of the snapshot" : "the claim bound and the pod running",
  async check() {
    const node = await runsOn(playground, restoredName);
    if (node === undefined) return undefined;
    if (!hostpath) return `bound to ${await boundVolume(playground, restoredName)}, the pod runs on ${node}`;
    const [restored, source] = await Promise.all([restoredName, podName].map((pod) => readFile(fileOf(playground, pod), "utf8")));
    const isRight = restored === content.before && source === content.after;
    return isRight ? `the restored volume has "${restored}", its source has "${source}"` : undefined;
  },
});

const takeGroupSnapshot = (playground: Playground, hostpath: OurDriver | undefined): Step => ({
  title: `Take the group snapshot "${groupName}" of the claims "${claimName}" and "${restoredName}", which have a label in common`,
  async act() {
    for (const name of [claimName, restoredName])
      await playground.admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ metadata: { labels: groupLabel } }));
    await playground.admin.create(VolumeGroupSnapshot, {
      metadata: inDefault(groupName),
      spec: { source: { selector: { matchLabels: groupLabel } } },
    });
  },
  expected: "the group and its two snapshots to be ready to use",
  async check() {
    const group = await present(playground, VolumeGroupSnapshot, inDefault(groupName));
    if (!group?.status?.readyToUse) return undefined;
    const { items } = await playground.admin.list(VolumeSnapshot, { namespace: "default" });
    const members = items.filter(({ status }) => status?.volumeGroupSnapshotName === groupName && status.readyToUse);
    const sources = members.map(({ spec }) => spec?.source?.persistentVolumeClaimName ?? "").sort();
    if (sources.join() !== [claimName, restoredName].join()) return undefined;
    const ready = `ready to use, with a snapshot of each claim`;
    if (!hostpath) return ready;
    const times = (await hostpath.control.snapshots()).map(({ creationTime }) => `${creationTime.seconds}.${creationTime.nanos}`);
    return times.length === 3 && new Set(times).size === 2 ? `${ready}, both of the same moment` : undefined;
  },
});

const deleteSnapshots = (playground: Playground, hostpath: OurDriver | undefined): Step => ({
  title: `Delete the snapshot${playground.driver.info.groupSnapshots ? " and the group snapshot" : ""}`,
  async act() {
    await playground.admin.delete(VolumeSnapshot, inDefault(snapshotName));
    await deleteAll(playground.admin, VolumeGroupSnapshot, { namespace: "default" });
  },
  expected: "no snapshot, and nothing of one in the driver",
  async check() {
    const kinds: readonly Resource[] = [VolumeSnapshot, VolumeSnapshotContent, VolumeGroupSnapshot, VolumeGroupSnapshotContent];
    const left = await Promise.all(kinds.map(async (kind) => (await playground.admin.list(kind)).items.length));
    const inDriver = hostpath ? (await hostpath.control.snapshots()).length : 0;
    if (inDriver + left.reduce((sum, count) => sum + count) > 0) return undefined;
    return `no VolumeSnapshot, no VolumeSnapshotContent${hostpath ? ", no snapshot in the driver" : ""}`;
  },
});
