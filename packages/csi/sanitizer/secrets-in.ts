import { ownValue } from "@csi-sidecars/base";
import { descriptors as protocol } from "../gen/descriptors.ts";
import { asList, asObject, type Descriptors, isObject, type PlainObject, populatedFields } from "./descriptors.ts";
import { type MessageType, nameOf } from "./sanitize.ts";

/** The values in the secret fields of a message, at any depth; names of secrets are no secrets here. */
export function secretsIn(message: object, type: MessageType, descriptors: Descriptors = protocol): readonly string[] {
  return secretValues(asObject(message), nameOf(type) ?? "", descriptors);
}

function secretValues(message: PlainObject, typeName: string, descriptors: Descriptors): string[] {
  const fields = ownValue(descriptors.messages, typeName) ?? [];
  return Array.from(populatedFields(message, fields), ([field, value]) => {
    if (field.secret) return scalarsIn(value);
    if (field.kind !== "message") return [];
    return itemsOf(value, field.many).flatMap((item) => secretValues(asObject(item), field.type ?? "", descriptors));
  }).flat();
}

function itemsOf(value: unknown, many: "list" | "map" | undefined): readonly unknown[] {
  if (many === "list") return asList(value);
  return many === "map" ? Object.values(asObject(value)) : [value];
}

function scalarsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString()];
  return isObject(value) ? Object.values(value).flatMap(scalarsIn) : [String(value)];
}
