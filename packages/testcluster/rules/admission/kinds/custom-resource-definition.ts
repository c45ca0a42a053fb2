import { messageOf } from "@csi-sidecars/base";
import { servedKinds } from "../../crd/custom-kind.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../field-error.ts";
import { arrayAt, at, type JsonObject, objectAt, stringAt, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";

/** CustomResourceDefinitions: names are defaulted, and definitions that cannot be served are refused. */
export const customResourceDefinitionRules: KindRules = {
  defaults: (object) => {
    const spec = objectAt(object, "spec");
    const names = objectAt(spec, "names");
    const kind = stringAt(names, "kind");
    const complete = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
    return { ...object, spec: { ...spec, names: complete, conversion: spec.conversion ?? { strategy: "None" } } };
  },
  create: (object) => ({
    ...object,
    status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: storageVersions(object) },
  }),
  update: (_, object) => {
    const stored = arrayAt(object, "status", "storedVersions");
    const added = storageVersions(object).filter((version) => !stored.includes(version));
    return added.length === 0 ? object : withAt(object, ["status", "storedVersions"], [...stored, ...added]);
  },
  validate: definitionErrors,
};

/** `status.storedVersions` of a new definition. */
function storageVersions(definition: JsonObject): readonly string[] {
  return arrayAt(definition, "spec", "versions")
    .filter((version) => at(version, "storage") === true)
    .map((version) => stringAt(version, "name"));
}

const approval = "api-approved.kubernetes.io";

/** Where the API was approved, for definitions in the groups of Kubernetes itself; `undefined` in other groups. */
export function approvalOf(definition: JsonObject): string | undefined {
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(stringAt(definition, "spec", "group"));
  return isProtected ? stringAt(definition, "metadata", "annotations", approval) : undefined;
}

function definitionErrors(definition: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [...metadataErrors(definition), ...storedVersionErrors(definition)];
  if (approvalOf(definition) === "") {
    const why = `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`;
    errors.push(requiredValue(`metadata.annotations[${approval}]`, why));
  }
  const name = stringAt(definition, "metadata", "name");
  const wanted = `${stringAt(definition, "spec", "names", "plural")}.${stringAt(definition, "spec", "group")}`;
  if (name !== wanted) errors.push(invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group'));
  if (storageVersions(definition).length !== 1) {
    errors.push(
      invalidValue("spec.versions", at(definition, "spec", "versions"), "must have exactly one version marked as storage version"),
    );
  }
  try {
    servedKinds(definition);
  } catch (error) {
    errors.push(invalidValue("spec.versions", name, messageOf(error)));
  }
  return errors;
}

/** Schemas say nothing about metadata but its type. */
function metadataErrors(definition: JsonObject): readonly FieldError[] {
  return arrayAt(definition, "spec", "versions").flatMap((version, i) => {
    const { type: _type, ...said } = objectAt(version, "schema", "openAPIV3Schema", "properties", "metadata");
    if (Object.keys(said).every((name) => name === "properties")) return [];
    const field = `spec.versions[${i}].schema.openAPIV3Schema.properties[metadata]`;
    return [forbiddenField(field, "must not specify anything other than name and generateName, but metadata is implicitly specified")];
  });
}

/** Objects may be stored in each of these versions. */
function storedVersionErrors(definition: JsonObject): readonly FieldError[] {
  const versions = arrayAt(definition, "spec", "versions").map((version) => stringAt(version, "name"));
  return arrayAt(definition, "status", "storedVersions").flatMap((stored, i) => {
    if (typeof stored !== "string" || versions.includes(stored)) return [];
    const why = `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`;
    return [invalidValue(`status.storedVersions[${i}]`, stored, why)];
  });
}
