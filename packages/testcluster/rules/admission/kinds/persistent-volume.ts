import { ownValue } from "@csi-sidecars/base";
import { metav1Time, protectionFinalizer } from "@csi-sidecars/kube";
import { type FieldError, forbiddenField, invalidValue, notSupported, requiredValue } from "../../field-error.ts";
import { arrayAt, at, isObject, type JsonObject, objectAt, sameValue, sortedMembers, stringAt, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { csiDriverNameErrors, dns1123SubdomainErrors } from "../../name-validation.ts";
import { accessModeErrors, amountOf, negativeErrors, volumeModeErrors, withCanonicalQuantities, withFinalizer } from "../common-fields.ts";

/** The fields of a volume's spec that are not a volume source; all others are. */
const plainMembers = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
]);
/** The secret references that must be complete; the one for staging is not validated. */
const secretRefs = ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"];

/** PersistentVolumes: defaulting, validation and immutability. */
export const persistentVolumeRules: KindRules = {
  defaults: (object, kind) => {
    const canonical = withCanonicalQuantities(object, kind, [["spec", "capacity"]]);
    const spec = objectAt(canonical, "spec");
    const { persistentVolumeReclaimPolicy = "Retain", volumeMode = "Filesystem" } = spec;
    return { ...canonical, spec: { ...spec, persistentVolumeReclaimPolicy, volumeMode } };
  },
  create: (object, { now }) =>
    withFinalizer({ ...object, status: { phase: "Pending", lastPhaseTransitionTime: metav1Time(now) } }, protectionFinalizer.volume),
  update: (old, object, { now }) => {
    const phase = at(object, "status", "phase");
    if (!phase) return withAt(object, ["status", "phase"], "Pending");
    return phase === at(old, "status", "phase") ? object : withAt(object, ["status", "lastPhaseTransitionTime"], metav1Time(now));
  },
  validate: (object) => specErrors(objectAt(object, "spec")),
  validateUpdate: (old, object) => specUpdateErrors(objectAt(old, "spec"), objectAt(object, "spec")),
};

const sourcesOf = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([name, value]) => !plainMembers.has(name) && isObject(value)));

function specErrors(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const modes = arrayAt(spec, "accessModes");
  if (modes.length === 0) errors.push(requiredValue("spec.accessModes"));
  errors.push(...accessModeErrors(modes, "spec.accessModes"), ...capacityErrors(spec.capacity));
  const policies = ["Delete", "Recycle", "Retain"];
  const policy = String(spec.persistentVolumeReclaimPolicy);
  if (!policies.includes(policy)) errors.push(notSupported("spec.persistentVolumeReclaimPolicy", policy, policies));
  errors.push(...affinityErrors(spec.nodeAffinity), ...sourceErrors(spec));
  const storageClass = stringAt(spec, "storageClassName");
  if (storageClass)
    errors.push(...dns1123SubdomainErrors(storageClass).map((fault) => invalidValue("spec.storageClassName", storageClass, fault)));
  errors.push(...volumeModeErrors(spec.volumeMode, "spec.volumeMode"), ...attributesClassErrors(spec));
  return errors;
}

function capacityErrors(capacity: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (!isObject(capacity) || Object.keys(capacity).length === 0) errors.push(requiredValue("spec.capacity"));
  if (!isObject(capacity) || Object.keys(capacity).length !== 1 || capacity.storage === undefined) {
    return [...errors, notSupported("spec.capacity", sortedMembers(capacity), ["storage"])];
  }
  errors.push(...negativeErrors(capacity, "spec.capacity"));
  if (amountOf(capacity.storage) <= 0n) errors.push(invalidValue("spec.capacity[storage]", capacity.storage, "must be greater than zero"));
  return errors;
}

function affinityErrors(affinity: unknown): FieldError[] {
  if (!isObject(affinity)) return [];
  const required = affinity.required;
  if (!isObject(required)) return [requiredValue("spec.nodeAffinity.required", "must specify required node constraints")];
  if (arrayAt(required, "nodeSelectorTerms").length > 0) return [];
  return [requiredValue("spec.nodeAffinity.required.nodeSelectorTerms", "must have at least one node selector term")];
}

function sourceErrors(spec: JsonObject): FieldError[] {
  const rank = (name: string) => (name === "hostPath" ? 0 : name === "csi" ? 2 : 1);
  const sources = Object.keys(sourcesOf(spec)).sort((a, b) => rank(a) - rank(b));
  if (sources.length === 0) return [requiredValue("spec", "must specify a volume type")];
  if (sources.length > 1) return sources.slice(1).map((name) => forbiddenField(`spec.${name}`, "may not specify more than 1 volume type"));
  return isObject(spec.csi) ? csiErrors(spec.csi, "spec.csi") : [];
}

/** The CSI source of a volume, also where a VolumeAttachment carries it inline. */
export function csiErrors(csi: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const driver = stringAt(csi, "driver");
  if (!driver) errors.push(requiredValue(`${field}.driver`));
  else errors.push(...csiDriverNameErrors(driver).map((fault) => invalidValue(`${field}.driver`, driver, fault)));
  if (!stringAt(csi, "volumeHandle")) errors.push(requiredValue(`${field}.volumeHandle`));
  const incomplete = secretRefs.flatMap((ref) =>
    isObject(ownValue(csi, ref))
      ? ["name", "namespace"].filter((member) => !stringAt(csi, ref, member)).map((member) => requiredValue(`${field}.${ref}.${member}`))
      : [],
  );
  return [...errors, ...incomplete];
}

function attributesClassErrors(spec: JsonObject): FieldError[] {
  const name = spec.volumeAttributesClassName;
  if (name === undefined || name === null) return [];
  const field = "spec.volumeAttributesClassName";
  const errors =
    name === ""
      ? [requiredValue(field, "an empty string is disallowed")]
      : dns1123SubdomainErrors(String(name)).map((fault) => invalidValue(field, name, fault));
  return isObject(spec.csi) ? errors : [...errors, requiredValue("spec.csi", "has to be specified when using volumeAttributesClassName")];
}

function specUpdateErrors(before: JsonObject, after: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const sources = sourcesOf(after);
  if (isObject(before.csi) && isObject(sources.csi) && before.csi.controllerExpandSecretRef === undefined) {
    const { controllerExpandSecretRef, ...rest } = sources.csi;
    sources.csi = rest;
  }
  if (!sameValue(withoutDefaults(sourcesOf(before)), withoutDefaults(sources))) {
    errors.push(forbiddenField("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
  if (before.volumeMode !== after.volumeMode) errors.push(invalidValue("volumeMode", after.volumeMode, "field is immutable"));
  if (isObject(before.nodeAffinity) && !sameValue(before.nodeAffinity, after.nodeAffinity)) {
    errors.push(invalidValue("nodeAffinity", after.nodeAffinity, "field is immutable, except for updating from beta label to GA"));
  }
  const attributesClass = "volumeAttributesClassName";
  if (before[attributesClass] && (after[attributesClass] ?? null) === null) {
    errors.push(forbiddenField(`spec.${attributesClass}`, "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

/** `readOnly: false` equals an absent one. */
function withoutDefaults(sources: JsonObject): JsonObject {
  const plain = Object.entries(sources).map(([name, source]) => {
    const { readOnly, ...rest } = objectAt({ source }, "source");
    return [name, readOnly === true ? { ...rest, readOnly, present: true } : { ...rest, present: true }];
  });
  return Object.fromEntries(plain);
}
