import { attacherFinalizerPrefix, refKey, type V1VolumeAttachment } from "@csi-sidecars/kube";
import { actorSteps } from "./actor-step.ts";
import { type Evidence, type Explanation, explanation, notFound, type Step, step } from "./explanation.ts";
import type { AttachmentFacts } from "./facts.ts";
import { translate } from "./grpc-words.ts";
import { valueIn } from "./look.ts";
import { plain } from "./plain-text.ts";

/** Why a volume is not attached to its node, or not detached from it. */
export function explainAttachment(facts: AttachmentFacts): Explanation {
  const subject = `VolumeAttachment ${refKey(facts.ref)}`;
  const attachment = valueIn(facts.attachment);
  if (!attachment) return notFound(subject, facts.attachment.state, facts.unseen);
  const steps = attachment.metadata?.deletionTimestamp ? detachSteps(attachment, facts) : attachSteps(attachment, facts);
  return explanation(
    subject,
    steps,
    facts.unseen,
    `nothing is waiting: ${whatOf(attachment)} is attached to node ${attachment.spec.nodeName}`,
  );
}

const whatOf = ({ spec }: V1VolumeAttachment) =>
  spec.source.persistentVolumeName ? `volume ${spec.source.persistentVolumeName}` : "the inline volume";

function attachSteps(attachment: V1VolumeAttachment, facts: AttachmentFacts): readonly Step[] {
  const { spec, status } = attachment;
  const what = `${whatOf(attachment)} is attached to node ${spec.nodeName}`;
  const error = status?.attachError;
  if (status?.attached) {
    const trouble = error
      ? [
          step("failed", `attaching it once more failed: ${errorWords("attach", error.message)}`, [
            errorEvidence(attachment, "attachError"),
          ]),
        ]
      : [];
    return [step("done", what, [{ object: objectOf(attachment), field: "status.attached", value: "true" }]), ...trouble];
  }
  const obstacles = [...volumeObstacle(attachment, facts), ...nodeObstacle(attachment, facts)];
  const actors = attacherSteps(facts, error?.time);
  const failed = error ? [failure("attach", attachment)] : [];
  const known = [...obstacles, ...actors, ...failed];
  if (known.some(({ state }) => state !== "done")) return [...known, step("not yet", what)];
  const since = attachment.metadata?.creationTimestamp;
  return [
    ...known,
    step(
      "waiting",
      "the attacher has not said anything yet",
      [{ object: objectOf(attachment), field: "status.attached", value: "false", ...(since && { since }) }],
      "if it lasts, read the log of the driver's attacher: it may have many volumes to attach before this one",
    ),
    step("not yet", what),
  ];
}

function volumeObstacle({ spec }: V1VolumeAttachment, { volume }: AttachmentFacts): readonly Step[] {
  const name = spec.source.persistentVolumeName;
  if (volume?.state === "missing") {
    return [
      step(
        "failed",
        `volume ${name} does not exist`,
        [{ object: `PersistentVolume ${name}`, field: "metadata.name", value: "not found" }],
        "delete the pod that wants the volume, then the VolumeAttachment",
      ),
    ];
  }
  const going = valueIn(volume)?.metadata?.deletionTimestamp;
  return going
    ? [
        step(
          "failed",
          `volume ${name} is being deleted, and is not attached any more`,
          [{ object: `PersistentVolume ${name}`, field: "metadata.deletionTimestamp", value: going, since: going }],
          `see csi-sidecars why pv ${name}`,
        ),
      ]
    : [];
}

function nodeObstacle({ spec }: V1VolumeAttachment, { node: facts }: AttachmentFacts): readonly Step[] {
  if (!facts) return [];
  if (facts.node.state === "missing") {
    return [
      step(
        "failed",
        `node ${spec.nodeName} does not exist any more`,
        [{ object: `Node ${spec.nodeName}`, field: "metadata.name", value: "not found" }],
        "delete the pod, so that it is placed on another node",
      ),
    ];
  }
  const drivers = valueIn(facts.csiNode)?.spec?.drivers;
  const registered = drivers?.some(({ name }) => name === spec.attacher);
  if (facts.csiNode.state === "unseen" || registered) return [];
  return [
    step(
      "waiting",
      `driver ${spec.attacher} is not registered on node ${spec.nodeName}`,
      [{ object: `CSINode ${spec.nodeName}`, field: "spec.drivers", value: drivers?.map(({ name }) => name).join(", ") || "none" }],
      `look whether the driver's node pod runs on ${spec.nodeName} and its registrar succeeded`,
    ),
  ];
}

function detachSteps(attachment: V1VolumeAttachment, facts: AttachmentFacts): readonly Step[] {
  const { spec, status, metadata } = attachment;
  const finalizers = metadata?.finalizers ?? [];
  const since = metadata?.deletionTimestamp;
  const evidence: Evidence = {
    object: objectOf(attachment),
    field: "metadata.finalizers",
    value: finalizers.join(", ") || "none",
    ...(since && { since }),
  };
  const asked = step("done", `${whatOf(attachment)} is to be detached from node ${spec.nodeName}`, [evidence]);
  const own = finalizers.some((each) => each.startsWith(attacherFinalizerPrefix));
  if (!own) {
    return [
      asked,
      step(
        "waiting",
        finalizers.length > 0
          ? `it is detached, and the object is kept by ${finalizers.join(", ")}`
          : "it is detached, and the object goes at once",
        [evidence],
      ),
    ];
  }
  const after = step("not yet", "the volume is detached");
  const gone =
    facts.node?.node.state === "missing"
      ? [
          step("done", `node ${spec.nodeName} does not exist any more; that does not keep the driver from detaching`, [
            { object: `Node ${spec.nodeName}`, field: "metadata.name", value: "not found" },
          ]),
        ]
      : [];
  const lost =
    facts.volume?.state === "missing"
      ? [
          step(
            "failed",
            `volume ${spec.source.persistentVolumeName} does not exist any more, so nobody knows what to detach`,
            [{ object: `PersistentVolume ${spec.source.persistentVolumeName}`, field: "metadata.name", value: "not found" }],
            "detach the volume in the storage, then remove the attacher's finalizer from the VolumeAttachment",
          ),
        ]
      : [];
  const actors = attacherSteps(facts, status?.detachError?.time);
  const failed = status?.detachError ? [failure("detach", attachment)] : [];
  const known = [asked, ...gone, ...lost, ...actors, ...failed];
  if (known.some(({ state }) => state !== "done")) return [...known, after];
  return [
    ...known,
    step(
      "waiting",
      "the driver is detaching the volume, or will do so soon",
      [evidence],
      "if it lasts, read the log of the driver's attacher",
    ),
    after,
  ];
}

function attacherSteps({ actor, now }: AttachmentFacts, spoke: string | undefined): readonly Step[] {
  return actorSteps(actor, { sidecar: "attacher", now, ...(spoke && { lastWord: Date.parse(spoke) }) });
}

function failure(work: "attach" | "detach", attachment: V1VolumeAttachment): Step {
  const error = work === "attach" ? attachment.status?.attachError : attachment.status?.detachError;
  const text = error?.message ?? "";
  const doing = work === "attach" ? "attaching" : "detaching";
  return step(
    "failed",
    `${doing} failed: ${errorWords(work, text)}`,
    [errorEvidence(attachment, `${work}Error`)],
    translate(work, text).remedy,
  );
}

function errorWords(work: "attach" | "detach", text = ""): string {
  const { code, meaning } = translate(work, text);
  return code ? `${meaning} (${code})` : meaning;
}

function errorEvidence(attachment: V1VolumeAttachment, field: "attachError" | "detachError"): Evidence {
  const { message = "", time } = attachment.status?.[field] ?? {};
  return { object: objectOf(attachment), field: `status.${field}`, value: plain(message), ...(time && { since: time }) };
}

const objectOf = ({ metadata }: V1VolumeAttachment) => `VolumeAttachment ${metadata?.name}`;
