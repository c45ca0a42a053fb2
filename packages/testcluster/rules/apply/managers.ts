import { arrayAt, isObject, type JsonObject, stringAt } from "../json.ts";
import { type FieldSet, fieldSetFrom, fieldsV1, isNothing } from "./field-set.ts";

/** Somebody who has written fields of an object, by applying or otherwise. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export const sameManager = (a: Manager, b: Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">): boolean =>
  a.name === b.name && a.operation === b.operation && a.apiVersion === b.apiVersion && a.subresource === b.subresource;

/** The managers in an object's metadata. */
export function managersOf(object: JsonObject): readonly Manager[] {
  return arrayAt(object, "metadata", "managedFields")
    .filter(isObject)
    .map((entry) => ({
      name: stringAt(entry, "manager"),
      operation: entry.operation === "Apply" ? "Apply" : "Update",
      apiVersion: stringAt(entry, "apiVersion"),
      subresource: stringAt(entry, "subresource"),
      time: stringAt(entry, "time"),
      fields: fieldSetFrom(entry.fieldsV1),
    }));
}

/** `metadata.managedFields`; who owns nothing is not in it. */
export function managedFields(managers: readonly Manager[]): readonly JsonObject[] {
  return managers
    .filter(({ fields }) => !isNothing(fields))
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      time,
      fieldsType: "FieldsV1",
      fieldsV1: fieldsV1(fields),
      ...(subresource !== "" && { subresource }),
    }));
}
