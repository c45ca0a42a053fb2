import { descriptors as protocol } from "../gen/descriptors.ts";
import { asList, asObject, type Descriptors, isObject, type PlainObject, populatedFields } from "./descriptors.ts";
import { stripped } from "./render.ts";
import { type MessageType, nameOf } from "./sanitize.ts";

/** Shorter values are left: stripping them would hide ordinary words and syllables, and by their places give the value away. */
const shortest = 3;

/**
 * Takes secret values out of a text that may echo them, as the errors of drivers do: where a request with secrets failed, its
 * error goes through here before it reaches a log, an event or a status.
 *
 *     redact(error.message, secretsIn(request, CreateVolumeRequest))
 *
 * Also finds a value that was trimmed, quoted, percent-encoded or base64-encoded on its way into the text.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  const found = [...new Set(Array.from(secrets, spellings).flat())].filter((value) => value.length >= shortest && text.includes(value));
  if (found.length === 0) return text;
  const longestFirst = found.sort((a, b) => b.length - a.length);
  return text.replace(new RegExp(longestFirst.map(literal).join("|"), "g"), stripped);
}

/** The values in the secret fields of a message, at any depth; names of secrets are no secrets here. */
export function secretsIn(message: object, type: MessageType, descriptors: Descriptors = protocol): readonly string[] {
  return secretValues(asObject(message), nameOf(type) ?? "", descriptors);
}

function secretValues(message: PlainObject, typeName: string, descriptors: Descriptors): string[] {
  const fields = descriptors.messages[typeName] ?? [];
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

const spellings = (value: string): string[] => [
  value,
  value.trim(),
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.toWellFormed()),
  Buffer.from(value).toString("base64"),
];

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
