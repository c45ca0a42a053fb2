import type { VolumeOperation } from "@csi-sidecars/host";
import { keyOf } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { plain } from "../../text.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedContent, ObservedSnapshot } from "../gather/observed.ts";
import { lastEvent, reportedAt } from "../operation-events.ts";
import type { Content, Snapshot, SnapshotKind } from "../snapshot-kinds.ts";
import { explainError } from "../words/driver-errors.ts";
import { leadershipSteps } from "./leadership.ts";

/** Whether the snapshot-controller leads, which binds snapshots and contents of all drivers. */
export function controllerSteps(
  { controller, events, now, responsibleFor }: ObservedSnapshot | ObservedContent,
  operation: VolumeOperation,
): readonly Step[] {
  const leases = foundIn(controller);
  const component = responsibleFor(operation)?.sidecar.name;
  if (!leases || component === undefined) return [];
  const who = `the ${component}`;
  const leading = {
    who,
    pods: "its pods",
    withoutHolder: "",
    withoutLease: step(
      "waiting",
      `no lease of ${who} was found: it does not run, or it runs without --leader-election`,
      [],
      `check that the ${component} is deployed: every cluster needs one, beside the drivers (docs/snapshots.md)`,
    ),
  };
  return leadershipSteps(leading, component, leases, { lastReportedAt: reportedAt(lastEvent(operation, events, responsibleFor)), now });
}

/** Whether a content belongs to a snapshot; `undefined` if it does, or is free for it. */
export function bindingProblem(kind: SnapshotKind, snapshot: Snapshot, content: Content): Step | undefined {
  const object = `${kind.contents.kind} ${content.metadata.name}`;
  const isNamed = snapshot.contentName !== undefined;
  if (isNamed !== content.isPreProvisioned) {
    const [wanted, found] = isNamed
      ? ["a snapshot that exists in the storage", "is one to be taken"]
      : ["a snapshot to be taken", "is one of a snapshot that exists in the storage"];
    return step(
      "failed",
      `content ${content.metadata.name} cannot be used: the ${kind.called} asks for ${wanted}, and the content ${found}`,
      [{ object, field: "spec.source", value: content.isPreProvisioned ? "has the handle of a snapshot" : "has the handle of a volume" }],
      isNamed
        ? `delete the ${kind.called}, and create it with the name of a content whose spec.source has the handle of a snapshot`
        : `delete the ${kind.called} or that content`,
    );
  }
  const { name, namespace, uid } = content.ref;
  const { metadata } = snapshot;
  if (name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid)) return undefined;
  const isNamesake = name === metadata.name && namespace === metadata.namespace;
  const other = isNamesake ? `an earlier ${kind.called} of the same name` : `${kind.called} ${namespace}/${name}`;
  return step(
    "failed",
    `content ${content.metadata.name} belongs to ${other}`,
    [{ object, field: kind.fields.ref, value: `${namespace}/${name}${uid ? ` (uid ${uid})` : ""}` }],
    isNamed
      ? `correct ${kind.fields.ref} of the content: it has to name ${keyOf({ metadata })}, without uid; or name another content`
      : `delete the ${kind.called}, and take it again`,
  );
}

/** What the controller found wrong, as the status of the snapshot shows it. */
export function problemStep(observed: ObservedSnapshot, snapshot: Snapshot): Step | undefined {
  const { kind, events, responsibleFor, ref } = observed;
  const text = snapshot.error?.message;
  if (text === undefined) return undefined;
  const { bind, take } = kind.operations;
  const said = [bind, take].map((operation) => ({ operation, last: lastEvent(operation, events, responsibleFor) }));
  const known = said.find(({ last }) => last?.declared.progress === "failed" && last.event.message === text);
  const isFromController = responsibleFor(bind)?.sidecar.remedies?.some(({ messages }) => messages.some((each) => each.isIn(text)));
  const operation = known?.operation ?? (isFromController ? bind : take);
  const { cause, remedy } = explainError(operation, text, responsibleFor);
  const object = `${kind.snapshots.kind} ${ref.namespace}/${ref.name}`;
  const evidence: Evidence = {
    object,
    field: "status.error",
    value: plain(text),
    ...(snapshot.error?.time && { since: snapshot.error.time }),
  };
  return step("failed", plain(`${known?.last?.declared.meaning ?? `the ${kind.called} cannot be taken`}: ${cause}`), [evidence], remedy);
}
