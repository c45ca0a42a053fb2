import { type FieldError, invalidValue, requiredValue } from "../../field-error.ts";
import { isObject, type JsonObject, objectAt, sameValue, stringAt } from "../../json.ts";

/**
 * `dataSource` knows claims and snapshots only, and what else it names is dropped; `dataSourceRef` knows everything in the same namespace.
 * Where one of them is given the other is filled in.
 */
export function withDataSources(claim: JsonObject): JsonObject {
  const { dataSource, dataSourceRef, ...spec } = objectAt(claim, "spec");
  const source = isObject(dataSource) && isPopulatedByDrivers(dataSource) ? { dataSource } : {};
  const wide = isObject(dataSourceRef) && !dataSourceRef.namespace ? { dataSourceRef } : {};
  return withBothSources({ ...claim, spec: { ...spec, ...source, ...wide } });
}

/** Fills in the field that is absent from the one that is there. A claim that was let in with a source elsewhere keeps it as it is. */
export function withBothSources(claim: JsonObject): JsonObject {
  const { dataSource, dataSourceRef, ...spec } = objectAt(claim, "spec");
  if (isObject(dataSourceRef) && dataSourceRef.namespace) return claim;
  const source = isObject(dataSource) ? reference(dataSource) : undefined;
  const wide = isObject(dataSourceRef) ? reference(dataSourceRef) : undefined;
  const both = { dataSource: source ?? wide, dataSourceRef: wide ?? source };
  return { ...claim, spec: both.dataSource ? { ...spec, ...both } : spec };
}

function isPopulatedByDrivers({ apiGroup, kind }: JsonObject): boolean {
  if (!apiGroup) return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

function reference({ apiGroup, kind, name }: JsonObject): JsonObject {
  return { apiGroup: apiGroup ?? null, kind: kind ?? "", name: name ?? "" };
}

export function dataSourceErrors(spec: JsonObject): FieldError[] {
  const errors = [...referenceErrors(spec.dataSource, "spec.dataSource"), ...referenceErrors(spec.dataSourceRef, "spec.dataSourceRef")];
  if (isObject(spec.dataSource) && isObject(spec.dataSourceRef) && !sameValue(spec.dataSource, spec.dataSourceRef)) {
    errors.push(invalidValue("spec", {}, "must match dataSourceRef"));
  }
  return errors;
}

function referenceErrors(source: unknown, field: string): FieldError[] {
  if (!isObject(source)) return [];
  const kind = stringAt(source, "kind");
  return [
    ...(stringAt(source, "name") ? [] : [requiredValue(`${field}.name`)]),
    ...(kind ? [] : [requiredValue(`${field}.kind`)]),
    ...(!source.apiGroup && kind !== "PersistentVolumeClaim"
      ? [invalidValue(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
  ];
}
