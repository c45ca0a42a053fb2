import type { Content, GroupContent } from "../fields.ts";

/**
 * The snapshots of a group as the contents of its members name them, for one whose status does not: writing it through v1beta1 removes that list.
 * None unless there is one of each volume, since a driver may leave what it is not told of.
 */
export function memberHandles({ spec, status }: GroupContent, contents: readonly Content[]): readonly string[] {
  const members = contents.filter(
    (each) => each.spec?.driver === spec?.driver && each.status?.volumeGroupSnapshotHandle === status?.volumeGroupSnapshotHandle,
  );
  const handles = new Map(members.map((member) => [member.spec?.source?.volumeHandle, member.status?.snapshotHandle]));
  const found = (spec?.source?.volumeHandles ?? []).map((volume) => handles.get(volume));
  return found.every((handle) => handle !== undefined) ? found : [];
}
