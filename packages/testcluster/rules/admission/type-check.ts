import { ownValue } from "@csi-sidecars/base";
import { isObject, type JsonObject } from "../json.ts";
import type { ServedKind } from "../kind.ts";
import { undecodable } from "../status.ts";

/** The Go type of a field, as far as a wrong JSON type is told apart from it. `go` is its name in messages. */
export type Shape =
  | { readonly is: "string" | "boolean" | "integer"; readonly go: string }
  | { readonly is: "list"; readonly go: string; readonly items: Shape }
  | { readonly is: "map"; readonly go: string; readonly values: Shape | undefined }
  | Struct;

/** A Go struct: the fields that are looked at, by their JSON names. */
interface Struct {
  readonly is: "struct";
  readonly go: string;
  readonly fields: Readonly<Record<string, Shape>>;
  readonly inlined?: Inlined;
}

/** Go names the embedded struct in the path of the fields that come from it. */
interface Inlined {
  readonly as: string;
  readonly fields: readonly string[];
}

export const text: Shape = { is: "string", go: "string" };
export const flag: Shape = { is: "boolean", go: "bool" };
export const int32: Shape = { is: "integer", go: "int32" };
export const list = (items: Shape, go = `[]${items.go}`): Shape => ({ is: "list", go, items });
export const texts: Shape = list(text);
export const textMap: Shape = { is: "map", go: "map[string]string", values: text };
export const quantities: Shape = { is: "map", go: "v1.ResourceList", values: undefined };
export const struct = (go: string, fields: Readonly<Record<string, Shape>>, inlined?: Inlined): Struct => ({
  is: "struct",
  go: `v1.${go}`,
  fields,
  ...(inlined && { inlined }),
});

/** Refuses a body whose fields are of other JSON types than the server's. Fields that are not described are let through. */
export function checkShape(kind: ServedKind, object: JsonObject, shape: Struct, path = ""): void {
  const owner = shape.go.replace(/^v1\./, "");
  for (const [name, field] of Object.entries(shape.fields)) {
    const value = ownValue(object, name);
    if (value === undefined || value === null) continue;
    const place = [path, shape.inlined?.fields.includes(name) ? shape.inlined.as : "", name].filter((part) => part !== "").join(".");
    checkValue(kind, value, field, `${owner}.${place}`, place);
  }
}

function checkValue(kind: ServedKind, value: unknown, shape: Shape, field: string, path: string): void {
  const refuse = () => undecodable(kind, `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field} of type ${shape.go}`);
  switch (shape.is) {
    case "list":
      if (!Array.isArray(value)) throw refuse();
      for (const item of value) if (item !== null) checkValue(kind, item, shape.items, field, path);
      return;
    case "map":
      if (!isObject(value)) throw refuse();
      for (const member of Object.values(value)) if (member !== null && shape.values) checkValue(kind, member, shape.values, field, path);
      return;
    case "struct":
      if (!isObject(value)) throw refuse();
      checkShape(kind, value, shape, path);
      return;
    case "integer":
      if (!Number.isInteger(value)) throw refuse();
      return;
    default:
      if (typeof value !== shape.is) throw refuse();
  }
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isInteger(value))) return `number ${value}`;
  return typeof value;
}
