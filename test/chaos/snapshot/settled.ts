import {
  PersistentVolumeClaim,
  snapshotFinalizer,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { until } from "../../e2e/testing/until.ts";
import type { World } from "../../e2e/testing/world.ts";
import type { History } from "../resize/history.ts";
import { claimsPerGroup } from "./claims.ts";
import { orphans } from "./orphans.ts";
import type { SnapshotUser } from "./users.ts";

/** Waits until everything is as users and storage want it; returns what is not after that time. */
export async function unsettled(
  world: World,
  users: readonly SnapshotUser[],
  { outages }: History,
  limitMs: number,
): Promise<readonly string[]> {
  let problems: readonly string[] = [];
  const look = async () => {
    problems = await problemsOf(world, users, outages);
    return problems.length === 0;
  };
  await until("everything settled", look, limitMs).catch(() => {});
  return problems;
}

async function problemsOf(
  { cluster: { admin }, driver }: World,
  users: readonly SnapshotUser[],
  outages: History["outages"],
): Promise<readonly string[]> {
  const [snapshots, groups, contents, groupContents, claims] = await Promise.all([
    admin.list(VolumeSnapshot),
    admin.list(VolumeGroupSnapshot),
    admin.list(VolumeSnapshotContent),
    admin.list(VolumeGroupSnapshotContent),
    admin.list(PersistentVolumeClaim),
  ]);
  const problems: string[] = [];
  const known = new Map([...snapshots.items, ...groups.items].map((object) => [object.metadata?.uid ?? "", object]));
  const membersOf = (uid: string) =>
    snapshots.items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid));

  for (const { name, uid, isDeleted, isGroup } of users) {
    const object = known.get(uid);
    if (isDeleted && object) problems.push(`${name} is still there`);
    if (!isDeleted && !object?.status?.readyToUse) problems.push(`${name} is not ready: ${JSON.stringify(object?.status)}`);
    if (!isDeleted && object?.status?.error) problems.push(`${name} is ready and has an error: ${JSON.stringify(object.status.error)}`);
    if (!isGroup) continue;
    const members = membersOf(uid);
    if (isDeleted && members.length > 0) problems.push(`${name} is gone, ${members.length} of its members are not`);
    if (!isDeleted && members.filter(({ status }) => status?.readyToUse).length !== claimsPerGroup) {
      problems.push(`${name} has ${members.length} members: ${JSON.stringify(members.map(({ status }) => status))}`);
    }
  }

  // Whatever is in the storage can be reached from a content, or from the group's if its members have none, and whatever a content names is there.
  const handles = contents.items.flatMap(({ status }) => status?.snapshotHandle ?? []);
  const listed = groupContents.items.flatMap(
    ({ status }) => status?.volumeSnapshotInfoList?.flatMap(({ snapshotHandle }) => snapshotHandle ?? []) ?? [],
  );
  const unlisted = listed.filter((handle) => !handles.includes(handle));
  const groupHandles = groupContents.items.flatMap(({ status }) => status?.volumeGroupSnapshotHandle ?? []);
  problems.push(
    ...differences("snapshot", driver.snapshots, [...handles, ...unlisted]),
    ...differences("group snapshot", driver.groups, groupHandles),
    ...[...contents.items, ...groupContents.items].flatMap(({ metadata }) =>
      metadata?.deletionTimestamp ? [`content ${metadata.name} is still being deleted`] : [],
    ),
    ...orphans([...contents.items, ...groupContents.items], new Set(known.keys()), outages),
    ...claims.items.flatMap(({ metadata }) =>
      metadata?.finalizers?.includes(snapshotFinalizer.claim) ? [`claim ${metadata.name} is still protected`] : [],
    ),
  );
  return problems;
}

function differences(what: string, stored: ReadonlyMap<string, { readonly name: string }>, handles: readonly string[]): readonly string[] {
  const named = new Set(handles);
  return [
    ...[...stored].flatMap(([id, { name }]) =>
      named.has(id) ? [] : [`${what} ${name} (${id}) is in the storage, and no content names it`],
    ),
    ...[...named].flatMap((handle) => (stored.has(handle) ? [] : [`a content names the ${what} ${handle}, which is not in the storage`])),
    ...(named.size === handles.length ? [] : [`two contents name the same ${what}`]),
  ];
}
