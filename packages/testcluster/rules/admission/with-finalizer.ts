import { arrayAt, type JsonObject, withAt } from "../json.ts";

/** A copy that carries the finalizer: how protection admission marks new objects. */
export function withFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const present = arrayAt(object, "metadata", "finalizers");
  return present.includes(finalizer) ? object : withAt(object, ["metadata", "finalizers"], [...present, finalizer]);
}
