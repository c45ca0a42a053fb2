import { ownValue } from "@csi-sidecars/base";
import { duplicateValue, type FieldError, forbiddenField, invalidValue, notSupported, requiredValue } from "../../field-error.ts";
import { arrayAt, type JsonObject, objectAt, sameValue, sortedMembers, stringAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { qualifiedNameErrors } from "../../name-validation.ts";
import { withFinalizer } from "../common-fields.ts";

/** StorageClass: provisioner and parameters are immutable. */
export const storageClassRules: KindRules = {
  defaults: (object) => ({
    ...object,
    reclaimPolicy: object.reclaimPolicy ?? "Delete",
    volumeBindingMode: object.volumeBindingMode ?? "Immediate",
  }),
  validate: (object) => {
    const errors: FieldError[] = [];
    errors.push(...provisionerErrors(object, "provisioner"));
    if ("" in objectAt(object, "parameters")) errors.push(invalidValue("parameters", "", "field can not be empty."));
    errors.push(...choiceErrors(object, "reclaimPolicy", ["Delete", "Retain"]));
    errors.push(...choiceErrors(object, "volumeBindingMode", ["Immediate", "WaitForFirstConsumer"]));
    return [...errors, ...topologyErrors(arrayAt(object, "allowedTopologies"))];
  },
  validateUpdate: (old, object) =>
    ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]
      .filter((field) => !sameValue(ownValue(old, field), ownValue(object, field)))
      .map((field) => invalidValue(field, sortedMembers(ownValue(object, field)), "field is immutable")),
};

function provisionerErrors(object: JsonObject, field: string): FieldError[] {
  const name = stringAt(object, field).toLowerCase();
  return name ? qualifiedNameErrors(name).map((fault) => invalidValue(field, name, fault)) : [requiredValue(field)];
}

function choiceErrors(object: JsonObject, field: string, choices: readonly string[]): FieldError[] {
  return choices.includes(String(ownValue(object, field))) ? [] : [notSupported(field, ownValue(object, field), choices)];
}

function topologyErrors(terms: readonly unknown[]): FieldError[] {
  return terms.flatMap((term, i) =>
    arrayAt(term, "matchLabelExpressions").flatMap((expression, j) => {
      const field = `allowedTopologies[${i}].matchLabelExpressions[${j}]`;
      const values = arrayAt(expression, "values");
      const key = stringAt(expression, "key");
      return [
        ...(values.length === 0 ? [requiredValue(`${field}.values`)] : []),
        ...values.flatMap((value, k) => (values.indexOf(value) < k ? [duplicateValue(`${field}.values[${k}]`, value)] : [])),
        ...qualifiedNameErrors(key).map((fault) => invalidValue(`${field}.key`, key, fault)),
      ];
    }),
  );
}

/** VolumeAttributesClass: immutable. */
export const volumeAttributesClassRules: KindRules = {
  create: (object) => withFinalizer(object, "kubernetes.io/vac-protection"),
  validate: (object) => [
    ...provisionerErrors(object, "driverName"),
    ...(Object.keys(objectAt(object, "parameters")).length === 0
      ? [requiredValue("parameters", "must contain at least one key/value pair")]
      : []),
  ],
  validateUpdate: (old, object) =>
    ["driverName", "parameters"]
      .filter((field) => !sameValue(ownValue(old, field), ownValue(object, field)))
      .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
};
