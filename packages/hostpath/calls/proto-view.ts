import { snakeCase } from "../snake-case.ts";

/** Fields that are maps: their keys are the user's and stay as they are. */
const maps = new Set(["parameters", "secrets", "volumeContext", "publishContext", "mutableParameters", "segments", "manifest"]);

/** Whether a field of that name, as the generated types have it, is a map. */
export const isMapField = (property: string): boolean => maps.has(property);

/** Plain JSON with the names of the .proto, without fields that are unset: what rules match, records keep and logs show. */
export type ProtoView = Readonly<Record<string, unknown>>;

/** Looks at a message as its .proto describes it. */
export function protoView(message: object): ProtoView {
  const view: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message)) {
    if (isOneof(value)) view[snakeCase(value.$case)] = viewOf(value[value.$case]);
    else if (isMapField(key)) {
      if (Object.keys(value ?? {}).length > 0) view[snakeCase(key)] = value;
    } else if (!isUnset(value)) view[snakeCase(key)] = viewOf(value);
  }
  return view;
}

/** The same without the content of secrets. */
export function withoutSecrets(view: ProtoView): ProtoView {
  return "secrets" in view ? { ...view, secrets: "***stripped***" } : view;
}

function viewOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(viewOf);
  if (typeof value === "object" && value !== null) return protoView(value);
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
