import { ownValue } from "@csi-sidecars/base";
import { metav1Time } from "@csi-sidecars/kube";
import { type FieldError, forbiddenField, invalidValue, requiredValue, tooLong } from "../../field-error.ts";
import { arrayAt, at, isObject, type JsonObject, objectAt, sameValue, stringAt, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { csiDriverNameErrors, dns1123SubdomainErrors } from "../../name-validation.ts";
import { accessModeErrors } from "../common-fields.ts";
import { csiErrors } from "./persistent-volume.ts";

const sizeLimit = 256 * 1024;
/** The server refuses longer messages, and its refusal names the other limit. */
const messageLimit = 1024;
const notInline = "may not be specified in the context of inline volumes";
const oneSource = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

/** VolumeAttachments: the spec is immutable, the status is the attacher's. */
export const volumeAttachmentRules: KindRules = {
  defaults: (object) => {
    const status = { attached: false, ...objectAt(object, "status") };
    return { ...object, status: withWholeSeconds(withWholeSeconds(status, "attachError"), "detachError") };
  },
  create: (object) => ({ ...object, status: { attached: false } }),
  validate: (object) => [...specErrors(objectAt(object, "spec")), ...statusErrors(objectAt(object, "status"))],
  validateUpdate: (old, object) =>
    sameValue(old.spec, object.spec) ? [] : [invalidValue("spec", shownSpec(objectAt(object, "spec")), "field is immutable")],
};

/** Errors carry a metav1.Time: fractions of a second are lost, an absent time is null. */
function withWholeSeconds(status: JsonObject, member: string): JsonObject {
  const error = ownValue(status, member);
  if (!isObject(error)) return status;
  const time = Date.parse(stringAt(error, "time"));
  return withAt(status, [member, "time"], Number.isNaN(time) ? null : metav1Time(time));
}

function specErrors(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const attacher = stringAt(spec, "attacher");
  if (!attacher) errors.push(requiredValue("spec.attacher"));
  else errors.push(...csiDriverNameErrors(attacher).map((fault) => invalidValue("spec.attacher", attacher, fault)));
  const name = at(spec, "source", "persistentVolumeName");
  const inline = at(spec, "source", "inlineVolumeSpec");
  if (name === undefined && inline === undefined) errors.push(requiredValue("spec.source", oneSource));
  else if (name !== undefined && inline !== undefined) errors.push(forbiddenField("spec.source", oneSource));
  else if (name === "") errors.push(requiredValue("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  const node = stringAt(spec, "nodeName");
  errors.push(...dns1123SubdomainErrors(node).map((fault) => invalidValue("spec.nodeName", node, fault)));
  if (typeof name === "string" && inline === undefined) {
    errors.push(...dns1123SubdomainErrors(name).map((fault) => invalidValue("spec.source.persistentVolumeName", name, fault)));
  }
  if (isObject(inline) && name === undefined) errors.push(...inlineErrors(inline));
  return errors;
}

/** An inline volume, as migration from in-tree plugins creates it. */
function inlineErrors(inline: JsonObject): FieldError[] {
  const field = "spec.source.inlineVolumeSpec";
  const errors = ["claimRef", "capacity"]
    .filter((member) => ownValue(inline, member) !== undefined)
    .map((member) => forbiddenField(`${field}.${member}`, notInline));
  if (!isObject(inline.csi)) errors.push(requiredValue(`${field}.csi`, "has to be specified in the context of inline volumes"));
  if (arrayAt(inline, "accessModes").length === 0) errors.push(requiredValue(`${field}.accessModes`));
  errors.push(...accessModeErrors(arrayAt(inline, "accessModes"), `${field}.accessModes`));
  if (inline.nodeAffinity !== undefined) errors.push(forbiddenField(`${field}.nodeAffinity`, notInline));
  if (isObject(inline.csi)) errors.push(...csiErrors(inline.csi, `${field}.csi`));
  else errors.push(requiredValue(field, "must specify a volume type"));
  if (inline.storageClassName) errors.push(forbiddenField(`${field}.storageClassName`, notInline));
  return errors;
}

function statusErrors(status: JsonObject): FieldError[] {
  const metadata = Object.entries(objectAt(status, "attachmentMetadata"));
  const size = metadata.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)), 0);
  return [
    ...(size > sizeLimit ? [tooLong("status.attachmentMetadata", sizeLimit)] : []),
    ...volumeErrorErrors(status.attachError, "status.attachError"),
    ...volumeErrorErrors(status.detachError, "status.detachError"),
  ];
}

function volumeErrorErrors(error: unknown, field: string): FieldError[] {
  const code = at(error, "errorCode");
  return [
    ...(Buffer.byteLength(stringAt(error, "message")) > messageLimit ? [tooLong(`${field}.message`, sizeLimit)] : []),
    ...(typeof code === "number" && code < 0
      ? [invalidValue(`${field}.errorCode`, code, "must be between 0 and 2147483647, inclusive")]
      : []),
  ];
}

/** The message shows the server's own form of the spec. */
function shownSpec(spec: JsonObject): JsonObject {
  const source = objectAt(spec, "source");
  return {
    Attacher: spec.attacher,
    Source: { PersistentVolumeName: source.persistentVolumeName ?? null, InlineVolumeSpec: source.inlineVolumeSpec ?? null },
    NodeName: spec.nodeName,
  };
}
