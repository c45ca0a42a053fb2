import { snapshotSecret } from "@csi-sidecars/controller";
import { groupSnapshotAnnotation, keyOf, type V1VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { defaultClass } from "../default-class.ts";
import type { GroupSnapshot, GroupSnapshotClass, Volume } from "../fields.ts";
import type { ServingNode } from "../node-for-volume.ts";
import { groupContentNameOf } from "./group-binding.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";
import type { GroupProblem } from "./group-problem.ts";
import { groupSources, type SourceCaches } from "./group-sources.ts";
import { newGroupContent } from "./new-group-content.ts";

/** What a plan reads. */
export interface GroupLookups extends SourceCaches {
  readonly classes: { get(name: string): GroupSnapshotClass | undefined; list(): readonly GroupSnapshotClass[] };
  /** The node whose sidecar can take snapshots of all the volumes, where that matters. */
  nodeFor(volumes: readonly Volume[]): ServingNode;
}

/** How a group snapshot is to be taken, or why it cannot be. */
export type GroupContentPlan =
  | {
      readonly step: "create";
      readonly content: V1VolumeGroupSnapshotContent;
      /** The class that the group snapshot is to name, as it names none. */
      readonly defaultClass: string | undefined;
      /** Set where the volumes are accessible from some nodes only, and no node can access them all. */
      readonly lacksNode: readonly string[] | undefined;
    }
  | { readonly step: "problem"; readonly problem: GroupProblem };

/** Plans the content of a group snapshot that the driver is to take. */
export function planGroupContent(group: GroupSnapshot, look: GroupLookups): GroupContentPlan {
  const found = chooseClass(group, look);
  if ("problem" in found) return { step: "problem", problem: found.problem };
  const { name, namespace = "" } = group.metadata;
  const volumes = groupSources(look, group);
  if (volumes.error !== undefined) return refuse(messages.inputUnavailable(name, volumes.error));
  const content = groupContentNameOf(group);
  const subjects = { kind: "volumegroupsnapshot", content, snapshot: { name, namespace } } as const;
  const secret = snapshotSecret("groupSnapshotter", found.class.parameters ?? {}, subjects);
  if (secret.error !== undefined) return refuse(messages.inputUnavailable(name, secret.error));
  const problem = foreignVolume(group, found.class, volumes.value);
  if (problem) return problem;
  const node = look.nodeFor(volumes.value);
  return {
    step: "create",
    content: newGroupContent(group, {
      class: found.class,
      handles: volumes.value.map(({ spec }) => spec?.csi?.volumeHandle ?? ""),
      secret: secret.value,
      node: typeof node === "string" ? undefined : node.name,
    }),
    defaultClass: found.isDefault ? found.class.metadata.name : undefined,
    lacksNode: node === "none" ? volumes.value.map(({ metadata }) => metadata.name) : undefined,
  };
}

type ChosenClass = { readonly class: GroupSnapshotClass; readonly isDefault: boolean } | { readonly problem: GroupProblem };

function chooseClass(group: GroupSnapshot, look: GroupLookups): ChosenClass {
  const name = group.spec?.volumeGroupSnapshotClassName;
  if (name !== undefined) {
    const named = look.classes.get(name);
    return named ? { class: named, isDefault: false } : { problem: classMissing(name) };
  }
  const noDefault = (cause: string) => {
    const message = messages.defaultClassUnknown(cause);
    return { problem: { reason: reasons.defaultClassUnknown.reason, message, error: cause } };
  };
  const volumes = groupSources(look, group);
  if (volumes.error !== undefined) return noDefault(volumes.error);
  const driver = volumes.value[0]?.spec?.csi?.driver;
  if (driver === undefined) return noDefault(messages.noDefaultForOthers(keyOf(group)));
  const found = defaultClass(look.classes.list(), { driver, annotation: groupSnapshotAnnotation.defaultClass, kind: "group snapshot" });
  return found.error === undefined ? { class: found.value, isDefault: true } : noDefault(found.error);
}

export function classMissing(className: string): GroupProblem {
  const error = messages.classMissing(className);
  return { reason: reasons.classUnknown.reason, message: messages.classUnknown(error), error };
}

/** The driver of the class is asked for all volumes: it must be theirs. */
function foreignVolume(group: GroupSnapshot, chosen: GroupSnapshotClass, volumes: readonly Volume[]): GroupContentPlan | undefined {
  const key = keyOf(group);
  for (const { metadata, spec } of volumes) {
    const driver = spec?.csi?.driver;
    if (driver === undefined) return refuse(messages.notCsi(key, metadata.name), messages.notCsiEvent(metadata.name));
    if (driver !== chosen.driver) {
      const mismatch = messages.driverMismatch(driver, chosen.driver ?? "", key, metadata.name);
      return refuse(messages.updateFailed(key, mismatch), mismatch);
    }
  }
  return undefined;
}

function refuse(error: string, warning?: string): GroupContentPlan {
  const problem = {
    ...{ reason: reasons.contentCreationFailed.reason, message: messages.contentCreationFailed(error), notReady: true, error },
    ...(warning !== undefined && { warning: { reason: reasons.postFailed.reason, message: warning } }),
  };
  return { step: "problem", problem };
}
