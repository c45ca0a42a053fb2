import { type KubeObject, managedByLabel, type ObjectRef, type Resource } from "@csi-sidecars/kube";
import { type ClusterReader, found, foundIn, type Lookup, unreadable } from "../../access/read-cluster.ts";
import { eventsAbout } from "../events.ts";
import type { Content, SnapshotKind } from "../snapshot-kinds.ts";
import { type GatherContext, gatherDriver, gatherLeases } from "./context.ts";
import type { ObservedContent, ObservedDriver } from "./observed.ts";

/** A content with the snapshot that it names. */
export async function gatherContent(context: GatherContext, kind: SnapshotKind, ref: ObjectRef): Promise<ObservedContent> {
  const observed = await gatherContentAlone(context, kind, ref);
  const content = foundIn(observed.content);
  if (!content) return { ...observed, isServed: await isServed(context.cluster, kind.contents, ref) };
  const { name = "", namespace = "" } = content.ref;
  const [snapshot, controller] = await Promise.all([
    readAs(context.cluster, kind.snapshots, { name, namespace }, kind.readSnapshot),
    gatherLeases(context, kind.operations.bind),
  ]);
  return { ...observed, snapshot, controller };
}

/** A content, without the snapshot that it names. */
export async function gatherContentAlone(context: GatherContext, kind: SnapshotKind, ref: ObjectRef): Promise<ObservedContent> {
  const { cluster, clock, responsibleFor } = context;
  const lookup = await readAs(cluster, kind.contents, ref, kind.readContent);
  const content = foundIn(lookup);
  const common = { kind, ref, content: lookup, responsibleFor, notes: cluster.notes };
  const isSettled = content?.readyToUse && !content.metadata.deletionTimestamp;
  if (!content || isSettled) return { ...common, now: clock.now(), events: [] };
  const [events, contentClass, driver] = await Promise.all([
    eventsAbout(cluster, content.metadata.uid),
    content.className ? cluster.get(kind.classes, { name: content.className }) : undefined,
    driverOf(context, kind, content),
  ]);
  return { ...common, ...events, driver, ...(contentClass && { contentClass }), now: clock.now() };
}

/** One sidecar on every node has no lease: that there is none says nothing about a content that is labelled with its node. */
async function driverOf(context: GatherContext, kind: SnapshotKind, { metadata, driver: name }: Content): Promise<ObservedDriver> {
  const { take, remove } = kind.operations;
  const driver = await gatherDriver(context, name, metadata.deletionTimestamp ? remove : take);
  const hasNoLease = foundIn(driver.leases)?.length === 0;
  return hasNoLease && metadata.labels?.[managedByLabel] !== undefined ? { ...driver, leases: unreadable } : driver;
}

/** Reads an object of either kind as what both have. */
export async function readAs<T extends KubeObject, R>(
  cluster: ClusterReader,
  resource: Resource<T>,
  ref: ObjectRef,
  read: (object: T) => R,
): Promise<Lookup<R>> {
  const lookup = await cluster.get(resource, ref);
  return lookup.state === "found" ? found(read(lookup.value)) : lookup;
}

/** Whether the server knows a kind: an object of one that is not installed is missing too. */
export async function isServed(cluster: ClusterReader, resource: Resource<KubeObject>, { name, namespace }: ObjectRef): Promise<boolean> {
  const { state } = await cluster.list(resource, { ...(namespace && { namespace }), fieldSelector: `metadata.name=${name}` });
  return state !== "missing";
}
