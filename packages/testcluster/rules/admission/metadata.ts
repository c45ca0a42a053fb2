import { ownValue } from "@csi-sidecars/base";
import { type FieldError, forbiddenField, invalidValue, quoted, requiredValue, tooLong } from "../field-error.ts";
import { arrayAt, at, isObject, type JsonObject, objectAt, stringAt } from "../json.ts";
import { dns1123SubdomainErrors, labelValueErrors, qualifiedNameErrors } from "../name-validation.ts";

const annotationLimit = 256 * 1024;
const standardFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];

/** Drops what only the server sets from a create. */
export function withoutServerMetadata(object: JsonObject): JsonObject {
  const { deletionTimestamp, deletionGracePeriodSeconds, selfLink, ...metadata } = objectAt(object, "metadata");
  return { ...object, metadata };
}

/** Keeps the stored uid where an update omits it, and the stored creation and deletion times. */
export function withStoredMetadata(old: JsonObject, object: JsonObject): JsonObject {
  const before = objectAt(old, "metadata");
  const { selfLink, ...after } = objectAt(object, "metadata");
  const life = {
    uid: after.uid || before.uid,
    creationTimestamp: before.creationTimestamp,
    deletionTimestamp: before.deletionTimestamp ?? after.deletionTimestamp,
    deletionGracePeriodSeconds: after.deletionGracePeriodSeconds ?? before.deletionGracePeriodSeconds,
  };
  const metadata = Object.entries({ ...after, ...life }).filter(([, value]) => value !== undefined && value !== null);
  return { ...object, metadata: Object.fromEntries(metadata) };
}

interface MetadataRules {
  readonly validateName?: (name: string) => readonly string[];
  /** Custom kinds may have finalizers without a domain. */
  readonly bareFinalizers?: boolean;
}

/** Validates the metadata of every kind, on create and on update. */
export function validateMetadata(
  object: JsonObject,
  { validateName = dns1123SubdomainErrors, bareFinalizers = false }: MetadataRules,
): FieldError[] {
  const metadata = objectAt(object, "metadata");
  const name = stringAt(metadata, "name");
  const generateName = stringAt(metadata, "generateName");
  const errors: FieldError[] = [];
  if (generateName)
    errors.push(
      ...validateName(generateName.replace(/-$/, "a")).map((fault) => invalidValue("metadata.generateName", generateName, fault)),
    );
  if (name === "") errors.push(requiredValue("metadata.name", "name or generateName is required"));
  else errors.push(...validateName(name).map((fault) => invalidValue("metadata.name", name, fault)));
  errors.push(...labelErrors(objectAt(metadata, "labels"), "metadata.labels"));
  errors.push(...annotationErrors(objectAt(metadata, "annotations")));
  errors.push(...ownerErrors(arrayAt(metadata, "ownerReferences")));
  errors.push(...finalizerErrors(arrayAt(metadata, "finalizers"), bareFinalizers));
  return errors;
}

function labelErrors(labels: JsonObject, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((fault) => invalidValue(field, key, fault)),
    ...labelValueErrors(String(value)).map((fault) => invalidValue(field, value, fault)),
  ]);
}

function annotationErrors(annotations: JsonObject): FieldError[] {
  const field = "metadata.annotations";
  const errors = Object.keys(annotations).flatMap((key) =>
    qualifiedNameErrors(key.toLowerCase()).map((fault) => invalidValue(field, key, fault)),
  );
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return size > annotationLimit ? [...errors, tooLong(field, annotationLimit)] : errors;
}

function ownerErrors(owners: readonly unknown[]): FieldError[] {
  const field = "metadata.ownerReferences";
  const errors: FieldError[] = [];
  for (const owner of owners.filter(isObject)) {
    if (!stringAt(owner, "apiVersion")) errors.push(invalidValue(`${field}.apiVersion`, "", "version must not be empty"));
    if (!stringAt(owner, "kind")) errors.push(invalidValue(`${field}.kind`, "", "must not be empty"));
    if (!stringAt(owner, "name")) errors.push(invalidValue(`${field}.name`, "", "must not be empty"));
    if (!stringAt(owner, "uid")) errors.push(invalidValue(`${field}.uid`, "", "must not be empty"));
    if (owner.apiVersion === "v1" && owner.kind === "Event") {
      errors.push(invalidValue(field, owner, "/v1, Kind=Event is disallowed from being an owner"));
    }
  }
  const [first, second] = owners.filter((owner) => at(owner, "controller") === true);
  if (second) {
    const named = (owner: unknown) => `${stringAt(owner, "kind")}/${stringAt(owner, "name")}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${named(first)} and ${named(second)}`;
    errors.push(invalidValue(field, owners, detail));
  }
  return errors;
}

function finalizerErrors(finalizers: readonly unknown[], bare: boolean): FieldError[] {
  const field = "metadata.finalizers";
  const errors: FieldError[] = [];
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalidValue(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  for (const [i, finalizer] of finalizers.map(String).entries()) {
    const faults = qualifiedNameErrors(finalizer);
    errors.push(...faults.map((fault) => invalidValue(field, finalizer, fault)));
    if (faults.length === 0 && !bare && !finalizer.includes("/") && !standardFinalizers.includes(finalizer)) {
      errors.push(invalidValue(`${field}[${i}]`, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
    }
  }
  return errors;
}

/** Validates changes to the metadata of every kind. */
export function validateMetadataUpdate(old: JsonObject, object: JsonObject): FieldError[] {
  const before = objectAt(old, "metadata");
  const after = objectAt(object, "metadata");
  const errors: FieldError[] = [];
  if (before.deletionTimestamp) {
    const known = arrayAt(before, "finalizers");
    const added = arrayAt(after, "finalizers").filter((finalizer) => !known.includes(finalizer));
    if (added.length > 0) {
      const list = added.map((finalizer) => quoted(String(finalizer))).join(", ");
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      errors.push(forbiddenField("metadata.finalizers", detail));
    }
  }
  for (const name of ["name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"]) {
    if ((ownValue(before, name) ?? null) !== (ownValue(after, name) ?? null))
      errors.push(invalidValue(`metadata.${name}`, ownValue(after, name), "field is immutable"));
  }
  return errors;
}
