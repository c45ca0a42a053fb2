import { arrayAt, isObject, type JsonObject, stringAt } from "../json.ts";

/** A set of owned fields, as a tree: `own` is the field itself, `members` are those below it, by their names in `fieldsV1`. */
export interface FieldSet {
  readonly own: boolean;
  readonly members: ReadonlyMap<string, FieldSet>;
}

export const nothing: FieldSet = { own: false, members: new Map() };

export const isNothing = (set: FieldSet): boolean => !set.own && set.members.size === 0;

/** A set without empty branches. */
export function fieldSet(own: boolean, members: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { own, members: new Map([...members].filter(([, member]) => !isNothing(member))) };
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const names = new Set([...a.members.keys(), ...b.members.keys()]);
  return fieldSet(
    a.own || b.own,
    [...names].map((name) => [name, union(a.members.get(name) ?? nothing, b.members.get(name) ?? nothing)] as const),
  );
}

export function minus(a: FieldSet, b: FieldSet): FieldSet {
  return fieldSet(
    a.own && !b.own,
    [...a.members].map(([name, member]) => [name, minus(member, b.members.get(name) ?? nothing)] as const),
  );
}

export function common(a: FieldSet, b: FieldSet): FieldSet {
  return fieldSet(
    a.own && b.own,
    [...a.members].map(([name, member]) => [name, common(member, b.members.get(name) ?? nothing)] as const),
  );
}

/** The form in `metadata.managedFields`: a field with owned members below has a `.` for itself. */
export function fieldsV1(set: FieldSet): JsonObject {
  const members = [...set.members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, fieldsV1(member)] as const);
  return Object.fromEntries(set.own && members.length > 0 ? [[".", {}] as const, ...members] : members);
}

export function fieldSetFrom(fields: unknown): FieldSet {
  if (!isObject(fields)) return nothing;
  const members = Object.entries(fields).filter(([name]) => name !== ".");
  const inner = members.map(([name, member]) => [name, fieldSetFrom(member)] as const);
  return { own: members.length === 0 || "." in fields, members: new Map(inner) };
}

/** The paths in a set, as a conflict names them: `.spec.containers[name="c"].image`. */
export function placesIn(set: FieldSet, at = ""): readonly string[] {
  const below = [...set.members].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, member]) => placesIn(member, at + placeText(name)));
  return set.own ? [at, ...below] : below;
}

function placeText(name: string): string {
  const rest = name.slice(2);
  if (name.startsWith("f:")) return `.${rest}`;
  if (name.startsWith("v:")) return `[=${rest}]`;
  const keys: JsonObject = JSON.parse(rest);
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(",")}]`;
}

/** A field manager of an object. */
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

/** `metadata.managedFields`, without managers that own nothing. */
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
