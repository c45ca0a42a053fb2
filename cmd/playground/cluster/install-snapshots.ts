import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  type Client,
  groupSnapshotAnnotation,
  snapshotAnnotation,
  VolumeGroupSnapshotClass,
  VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver/driver.ts";
import { installDefinitions } from "./install-definitions.ts";
import { className, ensure } from "./install-driver.ts";

/** Installs the kinds of snapshots, and the default classes of a driver that takes them. */
export async function installSnapshots(admin: Client, { name: driver, groupSnapshots }: DriverInfo, signal: AbortSignal): Promise<void> {
  await installDefinitions(admin, snapshotDefinitions, signal);
  const classOf = (annotation: string) => ({
    metadata: { name: className, annotations: { [annotation]: "true" } },
    driver,
    deletionPolicy: "Delete" as const,
  });
  await ensure(admin, VolumeSnapshotClass, classOf(snapshotAnnotation.defaultClass));
  if (groupSnapshots) await ensure(admin, VolumeGroupSnapshotClass, classOf(groupSnapshotAnnotation.defaultClass));
}
