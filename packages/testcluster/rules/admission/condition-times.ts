import { at, isObject, type JsonObject, withAt } from "../json.ts";

/** A copy whose conditions show every time they have: one that is not set is null. */
export function withConditionTimes(object: JsonObject, times: readonly string[]): JsonObject {
  const conditions = at(object, "status", "conditions");
  if (!Array.isArray(conditions)) return object;
  const unset = Object.fromEntries(times.map((time) => [time, null]));
  return withAt(
    object,
    ["status", "conditions"],
    conditions.map((condition) => (isObject(condition) ? { ...unset, ...condition } : condition)),
  );
}
