import type { View } from "@csi-sidecars/kube";
import type { GroupSnapshot } from "../fields.ts";
import { isWaitingForSources } from "./group-binding.ts";

// Group snapshots without a content: the others are many, and wait neither for claims nor for classes.
const waiting = "waiting";
const anywhere = "";

/** To be called once, before `waitingGroups`. */
export function indexWaitingGroups(groups: Pick<View<GroupSnapshot>, "addIndex">): void {
  groups.addIndex(waiting, (group) => (isWaitingForSources(group) ? [anywhere, group.metadata.namespace ?? ""] : []));
}

/** The group snapshots that a claim, a volume or a class may be the last missing piece of; of one namespace, or of all. */
export function waitingGroups(groups: Pick<View<GroupSnapshot>, "byIndex">, namespace = anywhere): readonly GroupSnapshot[] {
  return groups.byIndex(waiting, namespace);
}
