import { type FieldError, invalidValue } from "../field-error.ts";
import { arrayAt, at, deepEqual, isObject, type JsonObject, objectAt, stringAt } from "../json.ts";
import type { KindRules, ServedKind, Subresource } from "../kind.ts";
import { defaulted, hasRules, pruned, type Schema, schemaOf } from "./structural-schema.ts";
import { type Place, schemaErrors } from "./validate.ts";
import { type CelValidator, celValidator } from "./validation-rules.ts";

/** A custom resource kind, one for each served version. Conversion changes only the `apiVersion`. */
export interface CustomKind extends ServedKind {
  readonly custom: true;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The version in which objects are stored. */
  readonly storage: boolean;
  /** Text for the Warning header; empty when the version is not deprecated. */
  readonly deprecation: string;
  readonly schema: Schema;
  /** The schema of the version in which objects are stored, where it differs. */
  readonly storageSchema?: Schema;
  readonly printerColumns: readonly JsonObject[];
  readonly selectableFields: readonly string[];
  readonly rules: KindRules;
  validate(object: JsonObject, old?: JsonObject, subresource?: Subresource): readonly FieldError[];
}

/** The kinds that a definition serves. Throws for an unsupported rule of its schema. */
export function servedKinds(definition: JsonObject): readonly CustomKind[] {
  return arrayAt(definition, "spec", "versions")
    .filter(isObject)
    .filter((version) => version.served === true)
    .map((version) => customKind(objectAt(definition, "spec"), version));
}

function customKind(spec: JsonObject, version: JsonObject): CustomKind {
  const schema = schemaOf(version);
  const storageSchema = schemaOf(arrayAt(spec, "versions").find((other) => at(other, "storage") === true));
  const names = objectAt(spec, "names");
  const kind = stringAt(names, "kind");
  const status = isObject(at(version, "subresources", "status"));
  const validate = validator(schema, status);
  const clean = (object: JsonObject) => defaulted(pruned(object, schema), schema);
  return {
    group: stringAt(spec, "group"),
    version: stringAt(version, "name"),
    plural: stringAt(names, "plural"),
    kind,
    namespaced: spec.scope === "Namespaced",
    status,
    custom: true,
    singular: stringAt(names, "singular") || kind.toLowerCase(),
    listKind: stringAt(names, "listKind") || `${kind}List`,
    shortNames: arrayAt(names, "shortNames").map(String),
    categories: arrayAt(names, "categories").map(String),
    storage: version.storage === true,
    deprecation: deprecationOf(spec, version, kind),
    schema,
    ...(!deepEqual(schema, storageSchema) && { storageSchema }),
    printerColumns: arrayAt(version, "additionalPrinterColumns").filter(isObject),
    selectableFields: arrayAt(version, "selectableFields").map((field) => stringAt(field, "jsonPath")),
    validate,
    rules: {
      defaults: clean,
      create: (object) => (status ? withoutStatus(object) : object),
      validate: (object, old) => (old ? [] : validate(object)),
      validateUpdate: (old, object, subresource) => validate(object, old, subresource),
    },
  };
}

function deprecationOf(spec: JsonObject, version: JsonObject, kind: string): string {
  if (version.deprecated !== true) return "";
  const [group, name] = [stringAt(spec, "group"), stringAt(version, "name")];
  const [newest] = arrayAt(spec, "versions")
    .filter((other) => isObject(other) && other.served === true && other.deprecated !== true)
    .map((other) => stringAt(other, "name"))
    .filter((other) => newestFirst(other, name) < 0)
    .sort(newestFirst);
  const instead = newest === undefined ? "" : `; use ${group}/${newest} ${kind}`;
  return stringAt(version, "deprecationWarning") || `${group}/${name} ${kind} is deprecated${instead}`;
}

function withoutStatus({ status, ...rest }: JsonObject): JsonObject {
  return rest;
}

const root: Place = { field: "", body: "", root: "" };
const statusRoot: Place = { field: "status", body: "", root: "status" };
/** Errors after which the server does not evaluate the CEL rules. */
const blocking = ["FieldValueRequired", "FieldValueNotSupported", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"];
const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** A write to the status subresource validates only the status, any other write the whole object. */
function validator(schema: Schema, status: boolean): CustomKind["validate"] {
  const ruled = hasRules(schema);
  const whole = checks(schema, ruled);
  const part = status && schema.properties?.status ? checks(schema.properties.status, ruled) : whole;
  return (object, old, subresource) =>
    subresource === "status" ? (object.status === undefined ? [] : part(object.status, statusRoot, old?.status)) : whole(object, root, old);
}

function checks(schema: Schema, ruled: boolean): CelValidator {
  const cel = celValidator(schema);
  return (value, place, old) => {
    const errors = schemaErrors(value, schema, place, old);
    if (!errors.some(({ reason }) => blocking.includes(reason))) return [...errors, ...cel(value, place, old)];
    return ruled ? [...errors, invalidValue("<nil>", null, unchecked)] : errors;
  };
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1. */
export function newestFirst(a: string, b: string): number {
  const [majorA, stageA, minorA] = versionRank(a);
  const [majorB, stageB, minorB] = versionRank(b);
  return stageB - stageA || majorB - majorA || minorB - minorA;
}

function versionRank(version: string): readonly [major: number, stage: number, minor: number] {
  const [, major = "0", stage, minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return [Number(major), stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(minor)];
}
