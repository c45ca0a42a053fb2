import { type CustomResourceDefinition as Definition, snapshotDefinitions } from "@csi-sidecars/crds";
import {
  type Client,
  groupSnapshotAnnotation,
  isAlreadyExists,
  type KubeObject,
  mergePatch,
  resource,
  snapshotAnnotation,
  VolumeGroupSnapshotClass,
  VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver/driver.ts";
import { waitUntil } from "../wait-until.ts";
import { className, ensure } from "./install-driver.ts";

const CustomResourceDefinition = resource<KubeObject>("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", {
  namespaced: false,
});

/** Installs the kinds of snapshots, as an administrator does once in a cluster, and the default classes of a driver that takes them. */
export async function installSnapshots(admin: Client, { name: driver, groupSnapshots }: DriverInfo, signal: AbortSignal): Promise<void> {
  await Promise.all(snapshotDefinitions.map((definition) => installDefinition(admin, definition, signal)));
  const classOf = (annotation: string) => ({
    metadata: { name: className, annotations: { [annotation]: "true" } },
    driver,
    deletionPolicy: "Delete" as const,
  });
  await ensure(admin, VolumeSnapshotClass, classOf(snapshotAnnotation.defaultClass));
  if (groupSnapshots) await ensure(admin, VolumeGroupSnapshotClass, classOf(groupSnapshotAnnotation.defaultClass));
}

/** Resolves when the kind is served. A kept cluster may have the definition of an older version, which is replaced. */
async function installDefinition(admin: Client, definition: Definition, signal: AbortSignal): Promise<void> {
  const { metadata, spec } = definition;
  await admin.create(CustomResourceDefinition, { ...definition, metadata: { ...metadata } }).catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    await admin.patch(CustomResourceDefinition, { name: metadata.name }, mergePatch({ spec }));
  });
  for (const { name } of spec.versions.filter(({ served }) => served)) {
    const isServed = async () => (await admin.discover(`${spec.group}/${name}`))?.some((kind) => kind.name === spec.names.plural);
    await waitUntil(`${metadata.name} ${name} to be served`, async () => (await isServed()) || undefined, { signal });
  }
}
