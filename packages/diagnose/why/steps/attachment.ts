import { attacherFinalizerPrefix, refKey, type V1VolumeAttachment } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { plain } from "../../text.ts";
import { type Evidence, type Explanation, explanation, notFound, type Step, step } from "../explanation.ts";
import type { ObservedAttachment } from "../gather/observed.ts";
import type { ResponsibleFor } from "../responsible-sidecar.ts";
import { explainError } from "../words/driver-errors.ts";
import { readinessSteps } from "./readiness.ts";

/** Why a volume is not attached to its node, or not detached from it. */
export function explainAttachment(observed: ObservedAttachment): Explanation {
  const subject = `VolumeAttachment ${refKey(observed.ref)}`;
  const attachment = foundIn(observed.attachment);
  if (!attachment) return notFound(subject, observed.attachment, observed.notes);
  const steps = attachment.metadata?.deletionTimestamp ? detachSteps(attachment, observed) : attachSteps(attachment, observed);
  return explanation(
    subject,
    steps,
    observed.notes,
    `nothing is waiting: ${whatOf(attachment)} is attached to node ${attachment.spec.nodeName}`,
  );
}

const whatOf = ({ spec }: V1VolumeAttachment) =>
  spec.source.persistentVolumeName ? `volume ${spec.source.persistentVolumeName}` : "the inline volume";

function attachSteps(attachment: V1VolumeAttachment, observed: ObservedAttachment): readonly Step[] {
  const { spec, status } = attachment;
  const what = `${whatOf(attachment)} is attached to node ${spec.nodeName}`;
  const error = status?.attachError;
  if (status?.attached) {
    const failed = error
      ? [
          step("failed", `attaching it again failed: ${explainError("attach", error.message ?? "", observed.responsibleFor).cause}`, [
            errorEvidence(attachment, "attachError"),
          ]),
        ]
      : [];
    return [step("done", what, [{ object: objectOf(attachment), field: "status.attached", value: "true" }]), ...failed];
  }
  const obstacles = [...volumeObstacle(attachment, observed), ...nodeObstacle(attachment, observed)];
  const readiness = readinessSteps(observed, "attach", error?.time ? Date.parse(error.time) : 0);
  const failed = error ? [failure("attach", attachment, observed.responsibleFor)] : [];
  const known = [...obstacles, ...readiness, ...failed];
  if (known.some(({ state }) => state !== "done")) return [...known, step("not yet", what)];
  const since = attachment.metadata?.creationTimestamp;
  return [
    ...known,
    step(
      "waiting",
      "the attacher has not reported anything yet",
      [{ object: objectOf(attachment), field: "status.attached", value: "false", ...(since && { since }) }],
      "if it stays so, check the log of the driver's attacher: it may have many volumes to attach before this one",
    ),
    step("not yet", what),
  ];
}

function volumeObstacle({ spec }: V1VolumeAttachment, { volume }: ObservedAttachment): readonly Step[] {
  const name = spec.source.persistentVolumeName;
  if (volume?.state === "missing") {
    return [
      step(
        "failed",
        `volume ${name} does not exist`,
        [{ object: `PersistentVolume ${name}`, field: "metadata.name", value: "not found" }],
        "delete the pod that uses the volume, then the VolumeAttachment",
      ),
    ];
  }
  const deletedAt = foundIn(volume)?.metadata?.deletionTimestamp;
  return deletedAt
    ? [
        step(
          "failed",
          `volume ${name} is being deleted, so it is not attached`,
          [{ object: `PersistentVolume ${name}`, field: "metadata.deletionTimestamp", value: deletedAt, since: deletedAt }],
          `see csi-sidecars why pv ${name}`,
        ),
      ]
    : [];
}

function nodeObstacle({ spec }: V1VolumeAttachment, { node: observed }: ObservedAttachment): readonly Step[] {
  if (!observed) return [];
  if (observed.node.state === "missing") {
    return [
      step(
        "failed",
        `node ${spec.nodeName} does not exist any more`,
        [{ object: `Node ${spec.nodeName}`, field: "metadata.name", value: "not found" }],
        "delete the pod so that it is scheduled to another node",
      ),
    ];
  }
  const drivers = foundIn(observed.csiNode)?.spec?.drivers;
  const registered = drivers?.some(({ name }) => name === spec.attacher);
  if (observed.csiNode.state === "unreadable" || registered) return [];
  const object = `CSINode ${spec.nodeName}`;
  return [
    step(
      "waiting",
      `driver ${spec.attacher} is not registered on node ${spec.nodeName}`,
      [
        observed.csiNode.state === "missing"
          ? { object, field: "metadata.name", value: "not found" }
          : { object, field: "spec.drivers", value: drivers?.map(({ name }) => name).join(", ") || "none" },
      ],
      `check that the driver's node pod runs on ${spec.nodeName} and its registrar succeeded`,
    ),
  ];
}

function detachSteps(attachment: V1VolumeAttachment, observed: ObservedAttachment): readonly Step[] {
  const { spec, status, metadata } = attachment;
  const finalizers = metadata?.finalizers ?? [];
  const since = metadata?.deletionTimestamp;
  const evidence: Evidence = {
    object: objectOf(attachment),
    field: "metadata.finalizers",
    value: finalizers.join(", ") || "none",
    ...(since && { since }),
  };
  const asked = step("done", `${whatOf(attachment)} has to be detached from node ${spec.nodeName}`, [evidence]);
  const own = finalizers.some((each) => each.startsWith(attacherFinalizerPrefix));
  if (!own) {
    return [
      asked,
      step(
        "waiting",
        finalizers.length > 0
          ? `it is detached, and the object is kept by ${finalizers.join(", ")}`
          : "it is detached, and the object is about to be removed",
        [evidence],
      ),
    ];
  }
  const after = step("not yet", "the volume is detached");
  const gone =
    observed.node?.node.state === "missing"
      ? [
          step("done", `node ${spec.nodeName} does not exist any more; the driver can detach the volume nevertheless`, [
            { object: `Node ${spec.nodeName}`, field: "metadata.name", value: "not found" },
          ]),
        ]
      : [];
  const lost =
    observed.volume?.state === "missing"
      ? [
          step(
            "failed",
            `volume ${spec.source.persistentVolumeName} does not exist any more, so its volume handle is unknown`,
            [{ object: `PersistentVolume ${spec.source.persistentVolumeName}`, field: "metadata.name", value: "not found" }],
            "detach the volume in the storage, then remove the attacher's finalizer from the VolumeAttachment",
          ),
        ]
      : [];
  const readiness = readinessSteps(observed, "detach", status?.detachError?.time ? Date.parse(status.detachError.time) : 0);
  const failed = status?.detachError ? [failure("detach", attachment, observed.responsibleFor)] : [];
  const known = [asked, ...gone, ...lost, ...readiness, ...failed];
  if (known.some(({ state }) => state !== "done")) return [...known, after];
  return [
    ...known,
    step(
      "waiting",
      "the driver is detaching the volume, or the next attempt is due soon",
      [evidence],
      "if it stays so, check the log of the driver's attacher",
    ),
    after,
  ];
}

function failure(operation: "attach" | "detach", attachment: V1VolumeAttachment, responsibleFor: ResponsibleFor): Step {
  const field = `${operation}Error` as const;
  const { cause, remedy } = explainError(operation, attachment.status?.[field]?.message ?? "", responsibleFor);
  const what = `${operation}ing ${whatOf(attachment)} ${operation === "attach" ? "to" : "from"} node ${attachment.spec.nodeName} failed: ${cause}`;
  return step("failed", what, [errorEvidence(attachment, field)], remedy);
}

function errorEvidence(attachment: V1VolumeAttachment, field: "attachError" | "detachError"): Evidence {
  const { message = "", time } = attachment.status?.[field] ?? {};
  return { object: objectOf(attachment), field: `status.${field}`, value: plain(message), ...(time && { at: time }) };
}

const objectOf = ({ metadata }: V1VolumeAttachment) => `VolumeAttachment ${metadata?.name}`;
