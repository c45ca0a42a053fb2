import { bytesOf, formatBytes } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
import {
  type Client,
  type KubeObject,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type V1PersistentVolumeClaim,
  VolumeGroupSnapshot,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/cluster.ts";
import { type attributesClasses, className } from "../cluster/install-driver.ts";
import type { DriverInfo, HostpathControl } from "../driver/driver.ts";
import { UserError } from "../user-error.ts";
import { counted } from "./counted.ts";
import { created } from "./snapshot-rows.ts";

// What the keys of the live view create, change and delete.

const namespace = "default";
const label = "playground";

/** A new name, however fast keys are typed, with the labels of what the keys create. */
const newMetadata = (prefix: string) => ({ name: `${prefix}-${crypto.randomUUID().slice(0, 5)}`, namespace, labels: { app: label } });

/** Creates a claim and a pod that uses it. */
export async function createBoth(admin: Client, prefix: string, more: V1PersistentVolumeClaim["spec"] = {}): Promise<string> {
  const metadata = newMetadata(prefix);
  await admin.create(PersistentVolumeClaim, {
    metadata,
    spec: { storageClassName: className, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more },
  });
  await admin.create(Pod, {
    metadata,
    spec: {
      containers: [{ name: "app", image: "app" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: metadata.name } }],
    },
  });
  return `created the claim and the pod ${metadata.name}`;
}

/** The object that was created last. */
const newest = <T extends KubeObject>(objects: readonly T[]): T | undefined => objects.toSorted((a, b) => created(b) - created(a))[0];

async function newestClaim(admin: Client): Promise<V1PersistentVolumeClaim> {
  const { items } = await admin.list(PersistentVolumeClaim, { namespace });
  const claim = newest(items.filter(({ metadata, status }) => status?.phase === "Bound" && !metadata?.deletionTimestamp));
  if (!claim) throw new UserError("there is no bound claim; c creates one");
  return claim;
}

/** Takes a snapshot of the claim that was created last. */
export async function takeSnapshot(admin: Client): Promise<string> {
  const claim = await newestClaim(admin);
  const source = { persistentVolumeClaimName: claim.metadata?.name };
  const metadata = newMetadata("snapshot");
  await admin.create(VolumeSnapshot, { metadata, spec: { source } });
  return `created the snapshot ${metadata.name} of the claim ${claim.metadata?.name}`;
}

/** Restores the newest snapshot to a new claim, with a pod that uses it. */
export async function restoreSnapshot(admin: Client): Promise<string> {
  const { items } = await admin.list(VolumeSnapshot, { namespace });
  const snapshot = newest(items.filter(({ metadata, status }) => status?.readyToUse && !metadata?.deletionTimestamp));
  if (!snapshot) throw new UserError("there is no snapshot that is ready to use; t takes one");
  const dataSource = { apiGroup: VolumeSnapshot.group, kind: VolumeSnapshot.kind, name: snapshot.metadata?.name ?? "" };
  const storage = String(snapshot.status?.restoreSize ?? "1Gi");
  const done = await createBoth(admin, "restored", { dataSource, resources: { requests: { storage } } });
  return `${done} from the snapshot ${dataSource.name}`;
}

/** Of all claims that the keys have created. */
export async function takeGroupSnapshot(admin: Client): Promise<string> {
  await newestClaim(admin);
  const selector = { matchLabels: { app: label } };
  const metadata = newMetadata("group");
  await admin.create(VolumeGroupSnapshot, { metadata, spec: { source: { selector } } });
  return `created the group snapshot ${metadata.name} of all claims with the label app=${label}`;
}

/** Changes the spec of the claim that was created last. */
export async function changeNewest(admin: Client, change: (claim: V1PersistentVolumeClaim) => object): Promise<string> {
  const claim = await newestClaim(admin);
  const spec = change(claim);
  await admin.patch(PersistentVolumeClaim, { namespace, name: claim.metadata?.name ?? "" }, mergePatch({ spec }));
  return `changed the claim ${claim.metadata?.name}: ${JSON.stringify(spec)}`;
}

const gibibyte = 1024n ** 3n;

/** One gibibyte more. */
export const grown = ({ spec }: V1PersistentVolumeClaim) => ({
  resources: { requests: { storage: formatBytes(bytesOf(spec?.resources?.requests?.storage) + gibibyte) } },
});

/** The other VolumeAttributesClass. */
export const modified = ({ spec }: V1PersistentVolumeClaim): { readonly volumeAttributesClassName: keyof typeof attributesClasses } => ({
  volumeAttributesClassName: spec?.volumeAttributesClassName === "gold" ? "silver" : "gold",
});

/** Makes the driver report the volume of the newest claim as abnormal or, if it does so already, as it finds it. */
export async function breakOrHeal(admin: Client, client: DriverClient, control: HostpathControl): Promise<string> {
  const { metadata, spec } = await newestClaim(admin);
  const volume = await admin.get(PersistentVolume, { name: spec?.volumeName ?? "" });
  const volumeId = volume.spec?.csi?.volumeHandle ?? "";
  const { status } = await client.controller.controllerGetVolume({ volumeId }, { timeoutMs: 5_000 });
  const broken = status?.volumeCondition?.abnormal;
  await (broken ? control.resetCondition(volumeId) : control.setAbnormal(volumeId, "the disk is failing"));
  return `the driver reports the volume of the claim ${metadata?.name} as ${broken ? "well" : "abnormal"}`;
}

/** Deletes what the keys have created; says what that was, and what stays. The snapshots of a group go with it. */
export async function deleteOurs(admin: Client, { snapshots, groupSnapshots }: DriverInfo): Promise<string> {
  const ours = { namespace, labelSelector: `app=${label}` };
  const deleted = [
    ...(groupSnapshots ? [counted(await deleteAll(admin, VolumeGroupSnapshot, ours), "group snapshot")] : []),
    ...(snapshots ? [counted(await deleteAll(admin, VolumeSnapshot, ours), "snapshot")] : []),
    counted(await deleteAll(admin, Pod, ours), "pod"),
    counted(await deleteAll(admin, PersistentVolumeClaim, ours), "claim"),
  ];
  const { items } = await admin.list(PersistentVolumeClaim, { labelSelector: `app!=${label}` });
  const others =
    items.length === 0 ? "" : `; ${counted(items.length, "claim")} that others created ${items.length === 1 ? "stays" : "stay"}`;
  return `deleted what the keys have created: ${deleted.join(", ")}${others}`;
}
