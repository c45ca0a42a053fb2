import type { View } from "@csi-sidecars/kube";
import type { GroupSnapshot } from "../fields.ts";
import { isPreProvisionedGroup, isWaitingForContent } from "./group-binding.ts";

// Group snapshots that are not bound: the others are many, and wait neither for claims nor for classes.
const waiting = "waiting";
const anywhere = "";

/** To be called once, before `waitingGroups`. */
export function indexWaitingGroups(groups: Pick<View<GroupSnapshot>, "addIndex">): void {
  groups.addIndex(waiting, (group) => {
    if (!isWaitingForContent(group)) return [];
    return isPreProvisionedGroup(group) ? [anywhere] : [anywhere, group.metadata.namespace ?? ""];
  });
}

/** The group snapshots that a claim or a volume of a namespace may be the last missing piece of; without one, those that a class may be. */
export function waitingGroups(groups: Pick<View<GroupSnapshot>, "byIndex">, namespace = anywhere): readonly GroupSnapshot[] {
  return groups.byIndex(waiting, namespace);
}
