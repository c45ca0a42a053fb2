import { protectionFinalizer, wellKnownAnnotation } from "@csi-sidecars/kube";
import { type FieldError, forbiddenField, invalidValue, notSupported, requiredValue } from "../../field-error.ts";
import { arrayAt, at, isObject, type JsonObject, objectAt, sameValue, stringAt, withAt } from "../../json.ts";
import type { AdmissionContext, KindRules, Subresource } from "../../kind.ts";
import { dns1123SubdomainErrors } from "../../name-validation.ts";
import { forbiddenBecause } from "../../status.ts";
import {
  accessModeErrors,
  amountOf,
  negativeErrors,
  volumeModeErrors,
  withCanonicalQuantities,
  withConditionTimes,
  withFinalizer,
} from "../common-fields.ts";
import { dataSourceErrors, withBothSources, withDataSources } from "./claim-data-source.ts";

const request = ["spec", "resources", "requests", "storage"] as const;
const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** PersistentVolumeClaims: defaulting, validation and admission, for provisioning and resizing. */
export const persistentVolumeClaimRules: KindRules = {
  defaults: (object, kind) => {
    const canonical = withCanonicalQuantities(object, kind, [
      ["spec", "resources", "requests"],
      ["spec", "resources", "limits"],
      ["status", "capacity"],
      ["status", "allocatedResources"],
    ]);
    const spec = objectAt(canonical, "spec");
    const defaulted = { ...canonical, spec: { ...spec, volumeMode: spec.volumeMode ?? "Filesystem" } };
    return withConditionTimes(withoutEmptyStatus(defaulted), ["lastProbeTime", "lastTransitionTime"]);
  },
  create: (object, context) => {
    const claim = withDataSources({ ...object, status: { phase: "Pending" } });
    return withFinalizer(withDefaultClass(claim, context), protectionFinalizer.claim);
  },
  update: (_, object) => withBothSources(at(object, "status", "phase") ? object : withAt(object, ["status", "phase"], "Pending")),
  validate: (object) => [...specErrors(object), ...dataSourceErrors(objectAt(object, "spec"))],
  validateUpdate: claimUpdateErrors,
  admitUpdate: refuseUnsupportedResize,
};

/** The last condition, or the last entry of a map, takes the member with it. */
function withoutEmptyStatus(claim: JsonObject): JsonObject {
  if (!isObject(claim.status)) return claim;
  const isEmpty = (value: unknown) => (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);
  const lists = ["accessModes", "allocatedResourceStatuses", "allocatedResources", "capacity", "conditions"];
  const kept = Object.entries(claim.status).filter(([name, value]) => !lists.includes(name) || !isEmpty(value));
  return { ...claim, status: Object.fromEntries(kept) };
}

/** The default class for claims without one: the newest. */
function withDefaultClass(claim: JsonObject, context: AdmissionContext): JsonObject {
  const named = at(claim, "spec", "storageClassName") ?? at(claim, "metadata", "annotations", wellKnownAnnotation.betaClass);
  if (named !== undefined) return claim;
  const isDefault = (storageClass: JsonObject) =>
    [wellKnownAnnotation.defaultClass, wellKnownAnnotation.betaDefaultClass].some(
      (annotation) => at(storageClass, "metadata", "annotations", annotation) === "true",
    );
  const [first] = context
    .list("storageclasses.storage.k8s.io")
    .filter(isDefault)
    .map((storageClass) => objectAt(storageClass, "metadata"))
    .sort(
      (a, b) =>
        compare(stringAt(b, "creationTimestamp"), stringAt(a, "creationTimestamp")) || compare(stringAt(a, "name"), stringAt(b, "name")),
    );
  return first ? withAt(claim, ["spec", "storageClassName"], first.name) : claim;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function specErrors(claim: JsonObject): FieldError[] {
  const spec = objectAt(claim, "spec");
  const errors: FieldError[] = [];
  const modes = arrayAt(spec, "accessModes");
  if (modes.length === 0) errors.push(requiredValue("spec.accessModes", "at least 1 access mode is required"));
  errors.push(...accessModeErrors(modes, "spec.accessModes"));
  const storage = at(claim, ...request);
  if (storage === undefined) errors.push(requiredValue("spec.resources[storage]"));
  else if (amountOf(storage) <= 0n) errors.push(invalidValue("spec.resources[storage]", storage, "must be greater than zero"));
  const storageClass = stringAt(spec, "storageClassName");
  if (storageClass)
    errors.push(...dns1123SubdomainErrors(storageClass).map((fault) => invalidValue("spec.storageClassName", storageClass, fault)));
  const attributesClass = stringAt(spec, "volumeAttributesClassName");
  if (attributesClass) {
    errors.push(
      ...dns1123SubdomainErrors(attributesClass).map((fault) => invalidValue("spec.volumeAttributesClassName", attributesClass, fault)),
    );
  }
  errors.push(...volumeModeErrors(spec.volumeMode, "spec.volumeMode"));
  return errors;
}

function claimUpdateErrors(old: JsonObject, object: JsonObject, subresource: Subresource): readonly FieldError[] {
  return subresource === "status" ? statusErrors(objectAt(object, "status")) : specUpdateErrors(old, object);
}

function specUpdateErrors(old: JsonObject, object: JsonObject): readonly FieldError[] {
  const before = objectAt(old, "spec");
  const after = { ...objectAt(object, "spec") };
  if (!before.volumeName) after.volumeName = before.volumeName;
  if (before.storageClassName === undefined) delete after.storageClassName;
  if (at(old, "status", "phase") === "Bound") {
    after.volumeAttributesClassName = before.volumeAttributesClassName;
    if (isObject(at(after, "resources", "requests"))) {
      const storage = at(old, ...request);
      after.resources = { ...objectAt(after, "resources"), requests: { ...objectAt(after, "resources", "requests"), storage } };
    }
  }
  const errors: FieldError[] = [];
  if (!sameValue(before, after)) {
    const detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    errors.push(forbiddenField("spec", detail));
  }
  const size = amountOf(at(object, ...request));
  if (size < amountOf(at(old, ...request)) && size <= amountOf(at(old, "status", "capacity", "storage"))) {
    errors.push(forbiddenField(request.join("."), "field can not be less than status.capacity"));
  }
  if (before.volumeMode !== after.volumeMode) errors.push(invalidValue("volumeMode", after.volumeMode, "field is immutable"));
  return [...errors, ...attributesClassErrors(old, object)];
}

/** A class that the volume has reached can be replaced, but not taken away. */
function attributesClassErrors(old: JsonObject, object: JsonObject): readonly FieldError[] {
  const [before, after] = [old, object].map((claim) => at(claim, "spec", "volumeAttributesClassName"));
  if (before === after || after || at(old, "status", "currentVolumeAttributesClassName") === undefined) return [];
  const to = after === "" ? "empty string" : "nil";
  const detail = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbiddenField("spec.volumeAttributesClassName", detail)];
}

function statusErrors(status: JsonObject): readonly FieldError[] {
  const allocated = objectAt(status, "allocatedResources");
  const foreign = (name: string) => name !== "storage" && !name.includes("/");
  return [
    ...negativeErrors(objectAt(status, "capacity"), "status.capacity"),
    ...Object.keys(allocated)
      .filter(foreign)
      .map((name) => notSupported("status.allocatedResources", name, ["storage"])),
    ...negativeErrors(allocated, "status.allocatedResources"),
    ...Object.entries(objectAt(status, "allocatedResourceStatuses")).flatMap(([name, state]) => {
      const field = "status.allocatedResourceStatuses";
      if (foreign(name)) return [notSupported(field, name, ["storage"])];
      return resizeStates.includes(String(state)) ? [] : [notSupported(field, name, resizeStates)];
    }),
  ];
}

/** The PersistentVolumeClaimResize admission. */
function refuseUnsupportedResize(old: JsonObject, object: JsonObject, context: AdmissionContext): void {
  if (amountOf(at(object, ...request)) <= amountOf(at(old, ...request))) return;
  const name = stringAt(object, "metadata", "name");
  if (at(old, "status", "phase") !== "Bound") {
    throw forbiddenBecause("", "persistentvolumeclaims", name, "Only bound persistent volume claims can be expanded");
  }
  const className =
    stringAt(object, "metadata", "annotations", wellKnownAnnotation.betaClass) || stringAt(object, "spec", "storageClassName");
  const storageClass = className ? context.get("storageclasses.storage.k8s.io", undefined, className) : undefined;
  if (isObject(storageClass) && storageClass.allowVolumeExpansion === true) return;
  const why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  throw forbiddenBecause("", "persistentvolumeclaims", name, why);
}
