import { messageOf } from "@csi-sidecars/base";
import { servedKinds } from "../../crd/custom-kind.ts";
import { type FieldError, invalidValue } from "../../field-error.ts";
import { arrayAt, at, type JsonObject, objectAt, stringAt } from "../../json.ts";
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
  validate: definitionErrors,
};

/** `status.storedVersions` of a new definition. */
function storageVersions(definition: JsonObject): readonly string[] {
  return arrayAt(definition, "spec", "versions")
    .filter((version) => at(version, "storage") === true)
    .map((version) => stringAt(version, "name"));
}

function definitionErrors(definition: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
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
