import { ownValue } from "@csi-sidecars/base";

/**
 * What must be known of a message to log it: the names on the wire and which fields are secret. The table in
 * `gen/descriptors.ts` is written from the compiled .proto files, so that a field marked there is never forgotten here.
 */
export interface Descriptors {
  /** Fields in the order of their numbers, by the message's full name (`csi.v1.CreateVolumeRequest`). */
  readonly messages: Readonly<Record<string, readonly FieldDescriptor[]>>;
  /** The names of an enum's numbers, by the enum's full name. */
  readonly enums: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

export interface FieldDescriptor {
  readonly number: number;
  /** As in the .proto: `capacity_range`. */
  readonly name: string;
  /** As in the generated types: `capacityRange`. */
  readonly property: string;
  /** Of the values, where the field is a list or a map. A wrapper (`google.protobuf.BoolValue`) is a bare value in the generated types. */
  readonly kind: "string" | "bool" | "number" | "bytes" | "enum" | "message" | "wrapper";
  /** Full name of the enum, message or wrapper. */
  readonly type?: string;
  readonly many?: "list" | "map";
  /** Property of the union that holds this field, where it is the arm of a oneof. */
  readonly oneof?: string;
  /** Marked with the option `csi_secret`. */
  readonly secret?: true;
}

/** The fields of a message that are set, by proto3's rule: a zero is unset, a sub-message without content is set. */
export function* populatedFields(message: PlainObject, fields: readonly FieldDescriptor[]): Generator<[FieldDescriptor, unknown]> {
  for (const field of fields) {
    const value = field.oneof === undefined ? ownValue(message, field.property) : armOf(ownValue(message, field.oneof), field.property);
    if (value === undefined || value === null) continue;
    if (field.oneof !== undefined || !isZero(field, value)) yield [field, value];
  }
}

const armOf = (union: unknown, arm: string): unknown => (isObject(union) && union.$case === arm ? ownValue(union, arm) : undefined);

function isZero({ kind, many }: FieldDescriptor, value: unknown): boolean {
  if (many === "list") return asList(value).length === 0;
  if (many === "map") return Object.keys(asObject(value)).length === 0;
  switch (kind) {
    case "message":
    case "wrapper":
      return false;
    case "bytes":
      return asBytes(value).length === 0;
    case "string":
      return value === "";
    case "bool":
      return value === false;
    case "number":
    case "enum":
      return value === 0 || value === 0n;
  }
}

/**
 * A message reaches the sanitizer as a plain object whose shape only the descriptors know. These read it as they say;
 * an error tells what was expected and never what was found, which could be a secret.
 */
export type PlainObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is PlainObject => typeof value === "object" && value !== null;

export function asObject(value: unknown): PlainObject {
  if (!isObject(value)) throw new TypeError("expected an object");
  return value;
}

export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("expected a list");
  return value;
}

export function asBytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("expected bytes");
  return value;
}
