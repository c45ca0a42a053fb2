import type { Result } from "@csi-sidecars/base";
import { hasFinalizer, snapshotSecret } from "@csi-sidecars/controller";
import { keyOf, snapshotAnnotation, snapshotFinalizer } from "@csi-sidecars/kube";
import type { ContentParts } from "../content/new-content.ts";
import { defaultClass } from "../default-class.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Claim, Snapshot, SnapshotClass, Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import type { Problem } from "../report-problem.ts";
import { type Source, sourceOf } from "../source-volume.ts";
import { claimKeyOf, contentNameOf } from "./binding.ts";
import type { Lookups } from "./plan-lookups.ts";

/** What is needed to have a snapshot taken. */
export interface TakePlan {
  readonly step: "take";
  readonly class: SnapshotClass;
  /** Whether the snapshot names no class, and is to name this one. */
  readonly isDefault: boolean;
  readonly claim: Claim;
  readonly volume: Volume;
  /** The content, but for the version of the snapshot. */
  readonly content: ContentParts;
  /** Whether the volume is accessible from some nodes only, and there is none of them. */
  readonly lacksNode: boolean;
}

/** Plans the content of a snapshot that the driver is to take; or says what is missing. */
export function planTake(snapshot: Snapshot, look: Lookups): TakePlan | { readonly step: "problem"; readonly problem: Problem } {
  const problem = (reason: string, message: string) => ({ step: "problem", problem: { reason, message } }) as const;
  const chosen = chooseClass(snapshot, look);
  if ("reason" in chosen) return problem(chosen.reason, chosen.message);
  const refuse = (cause: string) => {
    const message = messages.contentCreationFailed(cause);
    return { step: "problem", problem: { reason: eventReasons.contentCreationFailed.reason, message, notReady: true } } as const;
  };
  const { name } = snapshot.metadata;
  const claim = look.claims.get(claimKeyOf(snapshot) ?? "");
  if (!claim) return refuse(messages.claimMissing(name));
  if (claim.metadata.deletionTimestamp !== undefined && !hasFinalizer(claim, snapshotFinalizer.claim)) {
    return refuse(messages.claimDeleted(claim.metadata.name));
  }
  const source = sourceFor(snapshot, look);
  if (source.error !== undefined) return refuse(messages.inputUnavailable(name, source.error));
  return planContent(snapshot, { ...chosen, ...source.value }, look, refuse);
}

function planContent<R>(
  snapshot: Snapshot,
  { class: chosen, isDefault, claim, volume }: ChosenClass & Source,
  look: Lookups,
  refuse: (cause: string) => R,
): TakePlan | R {
  const { name, namespace = "", uid } = snapshot.metadata;
  const content = contentNameOf(snapshot) ?? "";
  const secret = snapshotSecret("snapshotter", chosen.parameters ?? {}, { kind: "volumesnapshot", content, snapshot: { name, namespace } });
  if (secret.error !== undefined) return refuse(messages.inputUnavailable(name, secret.error));
  const { csi, volumeMode } = volume.spec ?? {};
  if (!csi) return refuse(messages.notCsi(volume.metadata.name));
  const { driver = "", deletionPolicy } = chosen;
  if (csi.driver !== driver) return refuse(messages.driverMismatch(csi.driver, driver, keyOf(snapshot), volume.metadata.name));
  const node = look.nodeFor(volume);
  return {
    ...{ step: "take", class: chosen, isDefault, claim, volume },
    lacksNode: node === "none",
    content: {
      ...{ name: content, snapshot: { name, namespace, uid }, driver, deletionPolicy, volumeHandle: csi.volumeHandle },
      ...{ className: chosen.metadata.name, secret: secret.value },
      volumeMode: look.notesVolumeMode ? volumeMode : undefined,
      node: node === "any" || node === "none" ? undefined : node.name,
    },
  };
}

interface ChosenClass {
  readonly class: SnapshotClass;
  readonly isDefault: boolean;
}

function chooseClass(snapshot: Snapshot, look: Lookups): ChosenClass | Problem {
  const className = snapshot.spec?.volumeSnapshotClassName;
  if (className !== undefined) {
    const named = look.classes.get(className);
    return named ? { class: named, isDefault: false } : classMissing(className);
  }
  const found = findDefault(snapshot, look);
  if (found.error === undefined) return { class: found.value, isDefault: true };
  return { reason: eventReasons.defaultClassUnknown.reason, message: messages.defaultClassUnknown(found.error) };
}

function findDefault(snapshot: Snapshot, look: Lookups): Result<SnapshotClass> {
  const source = sourceFor(snapshot, look);
  if (source.error !== undefined) return source;
  const driver = source.value.volume.spec?.csi?.driver;
  if (driver === undefined) return { error: messages.noDefaultForOthers(keyOf(snapshot)) };
  return defaultClass(look.classes.list(), { driver, annotation: snapshotAnnotation.defaultClass, kind: "snapshot" });
}

export function classMissing(className: string): Problem {
  return { reason: eventReasons.classUnknown.reason, message: messages.classUnknown(messages.classMissing(className)) };
}

function sourceFor({ metadata, spec }: Snapshot, look: Lookups): Result<Source> {
  return sourceOf(look, { name: spec?.source?.persistentVolumeClaimName ?? "", namespace: metadata.namespace ?? "" });
}
