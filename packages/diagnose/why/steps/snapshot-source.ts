import { keyOf, labelSelectorText, refKey, snapshotFinalizer } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed } from "../../text.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedSnapshot, ObservedSource } from "../gather/observed.ts";
import type { Snapshot } from "../snapshot-kinds.ts";

/** Whether what a snapshot is to be taken of can be snapshotted, and with which class. */
export function sourceSteps(snapshot: Snapshot, observed: ObservedSnapshot): readonly Step[] {
  const sources = sourceStep(snapshot, observed);
  return sources.state === "done" ? [sources, classStep(snapshot, observed)] : [sources];
}

function sourceStep({ selector, claimName }: Snapshot, { kind, ref, sources: lookup }: ObservedSnapshot): Step {
  const sources = foundIn(lookup);
  if (!sources) return step("done", `the ${kind.called} is to be taken of ${claimName ? `claim ${claimName}` : "the selected claims"}`);
  if (sources.length === 0) {
    const text = labelSelectorText(selector ?? {});
    return step(
      "failed",
      `no claim of the namespace has the labels ${text}`,
      [{ object: `${kind.snapshots.kind} ${refKey(ref)}`, field: "spec.source.selector", value: text }],
      "label the claims, or take the group snapshot again with another selector",
    );
  }
  const problem = sources.map((source) => sourceProblem(source)).find((each) => each !== undefined);
  if (problem) return problem;
  const names = sources.map(({ ref }) => refKey(ref));
  return step("done", `${names.length === 1 ? `claim ${names[0]} is` : `claims ${listed(names)} are`} bound to CSI volumes`);
}

function sourceProblem({ ref, claim: lookup, volume }: ObservedSource): Step | undefined {
  const object = `PersistentVolumeClaim ${refKey(ref)}`;
  if (lookup.state === "unreadable") return undefined;
  if (lookup.state === "missing") {
    return step(
      "failed",
      `claim ${refKey(ref)} does not exist`,
      [{ object, field: "metadata.name", value: "not found" }],
      "create the claim, or delete the snapshot",
    );
  }
  const { metadata, status } = lookup.value;
  const since = metadata?.deletionTimestamp;
  if (since && !metadata.finalizers?.includes(snapshotFinalizer.claim)) {
    const evidence = { object, field: "metadata.deletionTimestamp", value: since, since };
    return step(
      "failed",
      `claim ${refKey(ref)} is being deleted: no snapshot of it is taken any more`,
      [evidence],
      "delete the snapshot too",
    );
  }
  if (status?.phase !== "Bound") {
    return step(
      "waiting",
      `claim ${refKey(ref)} is not bound`,
      [{ object, field: "status.phase", value: status?.phase ?? "Pending" }],
      `see csi-sidecars why pvc ${refKey(ref)}`,
    );
  }
  return volumeProblem(refKey(ref), volume);
}

function volumeProblem(claim: string, lookup: ObservedSource["volume"]): Step | undefined {
  if (lookup?.state === "missing") {
    return step("failed", `the volume of claim ${claim} does not exist any more`, [], `see csi-sidecars why pvc ${claim}`);
  }
  const volume = foundIn(lookup);
  if (!volume || volume.spec?.csi) return undefined;
  return step(
    "failed",
    `volume ${volume.metadata?.name} of claim ${claim} is not one of a CSI driver`,
    [{ object: `PersistentVolume ${volume.metadata?.name}`, field: "spec.csi", value: "not set" }],
    "only volumes of CSI drivers can be snapshotted: delete the snapshot",
  );
}

/** The class says which driver takes the snapshot, and how: it has to be the driver that has the volumes. */
function classStep(snapshot: Snapshot, observed: ObservedSnapshot): Step {
  const { kind, ref, snapshotClass, sources } = observed;
  const { className: name } = snapshot;
  const evidence: Evidence = { object: `${kind.snapshots.kind} ${refKey(ref)}`, field: kind.fields.className, value: name ?? "not set" };
  const drivers = [...new Set((foundIn(sources) ?? []).flatMap(({ volume }) => foundIn(volume)?.spec?.csi?.driver ?? []))];
  if (name === undefined) return defaultClassStep(observed, drivers[0], evidence);
  if (snapshotClass?.state === "missing") {
    return step(
      "failed",
      `the ${kind.called} names class ${name}, which does not exist`,
      [evidence],
      `create class ${name}: the ${kind.called} goes on then; or take it again with an existing class (kubectl get ${kind.classes.plural})`,
    );
  }
  const driver = foundIn(snapshotClass)?.driver;
  const other = drivers.find((each) => driver !== undefined && each !== driver);
  if (other !== undefined) {
    return step(
      "failed",
      `class ${name} is one of driver ${driver}, and the volume is one of driver ${other}`,
      [evidence, { object: `${kind.classes.kind} ${name}`, field: "driver", value: driver ?? "" }],
      `delete the ${kind.called}, and take it again with a class of driver ${other}`,
    );
  }
  return step(
    "done",
    driver === undefined ? `the ${kind.called} names class ${name}` : `class ${name} exists: driver ${driver} takes the ${kind.called}`,
    [evidence],
  );
}

function defaultClassStep({ kind, defaultClasses }: ObservedSnapshot, driver: string | undefined, evidence: Evidence): Step {
  const all = foundIn(defaultClasses);
  if (!all || driver === undefined)
    return step("done", `the ${kind.called} names no class: it gets the default class of its driver`, [evidence]);
  const own = all.filter((each) => each.driver === driver);
  const [only] = own;
  const named = `the ${kind.called} names no class`;
  const mark = `mark exactly one ${kind.classes.kind} of driver ${driver} as default (annotation ${kind.annotation.defaultClass}: "true")`;
  if (!only)
    return step("failed", `${named}, and driver ${driver} has no default class`, [evidence], `${mark}; or take it again with a class`);
  if (own.length > 1) {
    const names = listed(own.map((each) => keyOf(each)));
    return step("failed", `${named}, and driver ${driver} has ${own.length} default classes: ${names}`, [evidence], mark);
  }
  return step("done", `${named}: it gets ${only.metadata?.name}, the default class of driver ${driver}`, [evidence]);
}
