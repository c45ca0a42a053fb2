import { dictionary } from "@csi-sidecars/base";
import { isObject, type JsonObject } from "../json.ts";
import { badRequest } from "../status.ts";

/** JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. Neither argument is changed. */
export function applyMergePatch(target: JsonObject, patch: unknown): JsonObject {
  if (!isObject(patch)) throw badRequest(`error decoding patch: ${notAnObject(patch)}`);
  return merged(target, patch);
}

function merged(target: unknown, patch: JsonObject): JsonObject {
  const result = dictionary<unknown>(isObject(target) ? target : {});
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = isObject(value) ? merged(result[name], value) : value;
  }
  return result;
}

/** The message of Go's decoder where an object was expected. */
export function notAnObject(value: unknown): string {
  const found = Array.isArray(value) ? "array" : value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}
