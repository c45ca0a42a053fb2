import { keyOf } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import type { Snapshot } from "../fields.ts";
import { nodeForVolume } from "../node-for-volume.ts";
import { isBeingRestored } from "../restoring-claims.ts";
import type { DeletionLookups } from "./plan-deletion.ts";
import type { Lookups } from "./plan-lookups.ts";

/** What the caches know, for plans. */
export function lookupsOf({ contents, claims, caches, groups, groupsUnknown, notesVolumeMode }: SnapshotControllerContext): Lookups {
  const { classes, volumes, nodes } = caches;
  return {
    ...{ contents, claims, classes, volumes, notesVolumeMode },
    groupOf(content, namespace) {
      if (!groups) return groupsUnknown === "not yet read" ? groupsUnknown : "no groups";
      const references = groups.contentsOfGroup(content).map(({ spec }) => spec?.volumeGroupSnapshotRef);
      const name = references.find((reference) => reference?.namespace === namespace)?.name;
      if (name !== undefined) return { name };
      return references.length > 0 ? "elsewhere" : "none";
    },
    nodeFor: (volume) => (nodes ? nodeForVolume(volume, nodes.list()) : "any"),
  };
}

/** The same for a snapshot that is being deleted. */
export function deletionLookupsOf(c: SnapshotControllerContext, snapshot: Snapshot): DeletionLookups {
  return {
    contents: c.contents,
    isBeingRestored: isBeingRestored(c.caches.claims, keyOf(snapshot)),
    groupExists(name, uid) {
      if (!c.groups) return c.groupsUnknown === "not installed" ? false : undefined;
      const group = c.groups.groupSnapshots.get(`${snapshot.metadata.namespace}/${name}`);
      if (!group || (uid !== undefined && group.metadata.uid !== uid)) return false;
      return group.metadata.deletionTimestamp === undefined || "deleting";
    },
  };
}
