import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, finalizersPatch, patchNewest } from "@csi-sidecars/controller";
import { groupSnapshotFinalizer, isAbort, isConflict, jsonPatch, type Patch } from "@csi-sidecars/kube";
import type { GroupSnapshot } from "../fields.ts";
import type { GroupContext } from "./group-context.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";

/** Adds the finalizer, and the default class to a group snapshot that names none. Returns whether the group snapshot is still to be taken, with that class. */
export async function protectGroup(
  c: GroupContext,
  group: GroupSnapshot,
  defaultClass: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const saved = await patchNewest(c.groupTarget, group, (newest) => protection(newest, defaultClass), apiCallOptions(signal));
    // Its user may have just named another class than the default one.
    const hasClass = defaultClass === undefined || saved?.spec?.volumeGroupSnapshotClassName === defaultClass;
    return saved !== undefined && saved.metadata.deletionTimestamp === undefined && hasClass;
  } catch (error) {
    if (!isAbort(error) && !isConflict(error))
      c.groupEvents.warning(group, reasons.finalizersFailed.reason, messages.finalizersFailed(messageOf(error)));
    throw error;
  }
}

function protection(group: GroupSnapshot, defaultClass: string | undefined): Patch | undefined {
  if (group.metadata.deletionTimestamp !== undefined) return undefined;
  const patch = finalizersPatch(group, { add: [groupSnapshotFinalizer.bound] });
  if (defaultClass === undefined || group.spec?.volumeGroupSnapshotClassName !== undefined) return patch;
  const operations = patch?.type === "json" ? patch.body : [{ op: "test", path: "/metadata/uid", value: group.metadata.uid } as const];
  const path = "/spec/volumeGroupSnapshotClassName";
  return jsonPatch([...operations, { op: "test", path, value: null }, { op: "add", path, value: defaultClass }]);
}
