import {
  matchesLabels,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  refKey,
  type V1PersistentVolumeClaim,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import { filterFound, found, foundIn, type Lookup } from "../../access/read-cluster.ts";
import { eventsAbout } from "../events.ts";
import { groupSnapshots, type Snapshot, type SnapshotKind, singleSnapshots } from "../snapshot-kinds.ts";
import { type GatherContext, gatherLeases } from "./context.ts";
import type { ObservedSnapshot, ObservedSource } from "./observed.ts";
import { gatherContentAlone, isServed, readAs } from "./snapshot-content.ts";

export async function gatherSnapshot(context: GatherContext, kind: SnapshotKind, ref: ObjectRef): Promise<ObservedSnapshot> {
  const { cluster, clock, responsibleFor } = context;
  const lookup = await readAs(cluster, kind.snapshots, ref, kind.readSnapshot);
  const snapshot = foundIn(lookup);
  const common = { kind, ref, snapshot: lookup, responsibleFor, notes: cluster.notes };
  if (!snapshot) {
    const served = lookup.state === "missing" ? await isServed(cluster, kind.snapshots, ref) : true;
    return { ...common, isServed: served, now: clock.now(), events: [] };
  }
  const content = await gatherContentAlone(context, kind, { name: contentNameOf(kind, snapshot) });
  const isDeleted = snapshot.metadata.deletionTimestamp !== undefined;
  if (snapshot.readyToUse && !isDeleted) return { ...common, content, now: clock.now(), events: [] };
  const { groupName: name, metadata } = snapshot;
  const [events, controller, group, more] = await Promise.all([
    eventsAbout(cluster, metadata.uid, metadata.namespace),
    gatherLeases(context, isDeleted ? kind.operations.unbind : kind.operations.bind),
    name
      ? readAs(cluster, groupSnapshots.snapshots, { name, namespace: metadata.namespace ?? "" }, groupSnapshots.readSnapshot)
      : undefined,
    isDeleted
      ? { restoring: await claimsRestoredFrom(context, kind, snapshot) }
      : content.content.state === "missing" && snapshot.contentName === undefined
        ? observeSources(context, kind, snapshot)
        : {},
  ]);
  return { ...common, ...more, ...events, content, controller, ...(group && { group }), now: clock.now() };
}

/** The content that a snapshot is bound to, names, or is to get; the controller gives the members of a group names of their own. */
function contentNameOf(kind: SnapshotKind, { boundTo, contentName, groupName, metadata }: Snapshot): string {
  const member = groupName === undefined ? undefined : metadata.name?.replace(/^snapshot-/, "snapcontent-");
  return boundTo || (contentName ?? member ?? kind.contentName(metadata.uid ?? ""));
}

async function observeSources(context: GatherContext, kind: SnapshotKind, snapshot: Snapshot): Promise<Partial<ObservedSnapshot>> {
  const { cluster } = context;
  const { className } = snapshot;
  const [sources, snapshotClass, classes] = await Promise.all([
    gatherSources(context, snapshot),
    className === undefined ? undefined : cluster.get(kind.classes, { name: className }),
    className === undefined ? cluster.list(kind.classes) : undefined,
  ]);
  const defaultClasses =
    classes && filterFound(classes, ({ metadata }) => metadata?.annotations?.[kind.annotation.defaultClass] === "true");
  return { ...(sources && { sources }), ...(snapshotClass && { snapshotClass }), ...(defaultClasses && { defaultClasses }) };
}

async function gatherSources(context: GatherContext, { metadata, claimName, selector }: Snapshot): Promise<ObservedSnapshot["sources"]> {
  const { cluster } = context;
  const namespace = metadata.namespace ?? "";
  if (claimName !== undefined) {
    const ref = { namespace, name: claimName };
    return found([await gatherSource(context, ref, await cluster.get(PersistentVolumeClaim, ref))]);
  }
  if (selector === undefined) return undefined;
  const claims = filterFound(await cluster.list(PersistentVolumeClaim, { namespace }), (claim) =>
    matchesLabels(selector, claim.metadata?.labels),
  );
  if (claims.state !== "found") return claims;
  const sourceOf = (claim: V1PersistentVolumeClaim) => gatherSource(context, { namespace, name: claim.metadata?.name ?? "" }, found(claim));
  return found(await Promise.all(claims.value.map(sourceOf)));
}

async function gatherSource({ cluster }: GatherContext, ref: ObjectRef, claim: Lookup<V1PersistentVolumeClaim>): Promise<ObservedSource> {
  const { spec, status } = foundIn(claim) ?? {};
  const name = status?.phase === "Bound" ? spec?.volumeName : undefined;
  return { ref, claim, ...(name && { volume: await cluster.get(PersistentVolume, { name }) }) };
}

/** Claims that are not bound and are to be provisioned from the snapshot, or from a member of the group snapshot; of all namespaces, where they may be read. */
async function claimsRestoredFrom(
  { cluster }: GatherContext,
  kind: SnapshotKind,
  { metadata }: Snapshot,
): Promise<Lookup<readonly V1PersistentVolumeClaim[]>> {
  const namespace = metadata.namespace ?? "";
  const own = refKey({ namespace, name: metadata.name ?? "" });
  const members = kind === groupSnapshots ? await cluster.list(VolumeSnapshot, { namespace }) : found([]);
  const keys = new Set([
    ...(kind === singleSnapshots ? [own] : []),
    ...(foundIn(members) ?? [])
      .filter((member) => singleSnapshots.readSnapshot(member).groupName === metadata.name)
      .map((member) => refKey({ namespace, name: member.metadata?.name ?? "" })),
  ]);
  const everywhere = await cluster.list(PersistentVolumeClaim);
  const claims = everywhere.state === "unreadable" ? await cluster.list(PersistentVolumeClaim, { namespace }) : everywhere;
  return filterFound(claims, (claim) => sourcesOf(claim).some((key) => keys.has(key)));
}

function sourcesOf({ metadata, spec, status }: V1PersistentVolumeClaim): readonly string[] {
  if ((status?.phase ?? "Pending") !== "Pending") return [];
  const sources: readonly (NonNullable<typeof spec>["dataSourceRef"] | undefined)[] = [spec?.dataSource, spec?.dataSourceRef];
  return sources.flatMap((source) => {
    if (source?.kind !== VolumeSnapshot.kind || source.apiGroup !== VolumeSnapshot.group) return [];
    return [refKey({ namespace: source.namespace || metadata?.namespace || "", name: source.name })];
  });
}
