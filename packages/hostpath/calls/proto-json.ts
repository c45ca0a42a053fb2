import { dictionary, ownValue } from "@csi-sidecars/base";

/** Fields that are maps: their keys are the user's and stay as they are. */
const maps = new Set(["parameters", "secrets", "volumeContext", "publishContext", "mutableParameters", "segments", "manifest"]);

/** Whether a field of that name, as the generated types have it, is a map. */
export const isMapField = (property: string): boolean => maps.has(property);

/** A message as JSON with the field names of the .proto, without unset fields: what rules match, records keep and logs show. */
export type ProtoJson = Readonly<Record<string, unknown>>;

/** Renders a message with the field names of its .proto. */
export function protoJson(message: object): ProtoJson {
  const json = dictionary<unknown>();
  for (const [key, value] of Object.entries(message)) {
    if (isOneof(value)) json[snakeCase(value.$case)] = jsonOf(ownValue(value, value.$case));
    else if (isMapField(key)) {
      if (Object.keys(value ?? {}).length > 0) json[snakeCase(key)] = value;
    } else if (!isUnset(value)) json[snakeCase(key)] = jsonOf(value);
  }
  return json;
}

/** The same without the content of secrets. */
export function withoutSecrets(message: ProtoJson): ProtoJson {
  return "secrets" in message ? { ...message, secrets: "***stripped***" } : message;
}

function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === "object" && value !== null) return protoJson(value);
  return value;
}

function isOneof(value: unknown): value is { readonly $case: string } & Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && "$case" in value && typeof value.$case === "string";
}

const isUnset = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === 0n ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** A field as the protocol spells it: `capacityBytes` is `capacity_bytes`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
