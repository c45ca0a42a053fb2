import { ownValue, setOwnValue } from "@csi-sidecars/base";
import { goText, invalidValue } from "../field-error.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { ServedKind } from "../kind.ts";
import { badRequest, invalidKind, plainError, unsupportedMediaType } from "../status.ts";
import { notAnObject } from "./merge-patch.ts";
import { type MergedList, type MergeSchema, mergeSchemaOf } from "./strategic-merge-keys.ts";

const directive = "$patch";
const retainKeys = "$retainKeys";
const deleteFromList = "$deleteFromPrimitiveList/";
const elementOrder = "$setElementOrder/";
const stringMaps = ["annotations", "data", "labels", "matchLabels", "nodeSelector", "parameters", "stringData"];
const customPatchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

/** Strategic merge patch of a built-in kind; custom resources do not support it. Neither argument is changed. */
export function applyStrategicMergePatch(kind: ServedKind, target: JsonObject, patch: unknown): JsonObject {
  if (kind.custom) throw unsupportedMediaType(customPatchTypes);
  if (!isObject(patch)) throw badRequest(notAnObject(patch));
  const merged = mergeObject(structuredClone(target), structuredClone(patch), mergeSchemaOf(kind));
  return withoutLeftovers(merged, patch);
}

/** `$retainKeys` where there was nothing to merge with stays behind: a struct does not know it, a map of strings cannot hold it. */
function withoutLeftovers(object: JsonObject, patch: JsonObject): JsonObject {
  for (const [name, value] of Object.entries(object)) {
    if (!isObject(value)) continue;
    if (Object.hasOwn(value, retainKeys) && stringMaps.includes(name)) {
      throw invalidKind("", "", "", [invalidValue("patch", goText(patch), "unrecognized type: string")]);
    }
    delete value[retainKeys];
    withoutLeftovers(value, patch);
  }
  return object;
}

function mergeObject(target: JsonObject, patch: JsonObject, schema: MergeSchema): JsonObject {
  if (Object.hasOwn(patch, directive)) return replaced(patch);
  const result = retained(target, patch);
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(elementOrder)) checkOrder(patch, name.slice(elementOrder.length), value, schema);
    if (name === retainKeys || name.startsWith(elementOrder)) continue;
    if (name.startsWith(deleteFromList)) deleteScalars(result, name.slice(deleteFromList.length), value);
    else mergeMember(result, name, value, schema);
  }
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(elementOrder)) orderList(result, target, name.slice(elementOrder.length), value, schema);
  }
  return result;
}

function mergeMember(result: JsonObject, name: string, value: unknown, schema: MergeSchema): void {
  const present = ownValue(result, name);
  if (value === null) delete result[name];
  else if (isObject(value) && isObject(present))
    setOwnValue(result, name, mergeObject(present, value, ownValue(schema.objects, name) ?? {}));
  else if (Array.isArray(value) && Array.isArray(present)) {
    const list = ownValue(schema.lists, name);
    setOwnValue(result, name, list ? mergeList(present, value, list) : value);
  } else {
    const taken = withoutDirectives(value);
    if (taken === undefined) delete result[name];
    else setOwnValue(result, name, taken);
  }
}

function replaced(patch: JsonObject): JsonObject {
  const { [directive]: what, ...rest } = patch;
  if (what === "replace") return rest;
  if (what === "delete") return {};
  throw plainError(`unknown patch type: ${goText(what)} in map: ${goText(patch)}`);
}

function retained(target: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, retainKeys)) return target;
  const kept = patch[retainKeys];
  const allowed = (name: string, value: unknown) =>
    Array.isArray(kept) &&
    (value === null || kept.includes(name) || name === retainKeys || name.startsWith(deleteFromList) || name.startsWith(elementOrder));
  if (!Array.isArray(kept) || !Object.entries(patch).every(([name, value]) => allowed(name, value))) {
    throw badRequest("invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(target).filter(([name]) => kept.includes(name)));
}

function deleteScalars(result: JsonObject, name: string, unwanted: unknown): void {
  const present = ownValue(result, name);
  if (!Array.isArray(unwanted)) throw badRequest("invalid patch format of primitive list");
  if (!Array.isArray(present)) return;
  const kept = present.filter((item) => !unwanted.includes(item));
  setOwnValue(result, name, kept);
}

function mergeList(present: readonly unknown[], patch: readonly unknown[], list: MergedList): unknown[] {
  const { key, items = {} } = list;
  if (key === undefined) return mergedOrder([...new Set([...present, ...patch])], patch, present, undefined);
  let live = [...present];
  let replace = false;
  const changes: JsonObject[] = [];
  for (const item of patch) {
    if (!isObject(item)) throw plainError(`expected a map[string]interface {}, but received a ${typeof item}`);
    if (!Object.hasOwn(item, directive)) changes.push(item);
    else if (item[directive] === "replace") replace = true;
    else if (item[directive] !== "delete") throw plainError(listDirectiveText(item));
    else live = live.filter((found) => keyOf(found, key) !== mergeKeyOf(item, key));
  }
  if (replace) return changes;
  const merged = [...live];
  for (const change of changes) {
    const wanted = mergeKeyOf(change, key);
    const index = merged.findIndex((found) => keyOf(found, key) === wanted);
    const found = merged[index];
    if (isObject(found)) merged[index] = mergeObject(found, change, items);
    else merged.push(change);
  }
  return mergedOrder(merged, changes, live, key);
}

/** The items of a patch must stand in the order that it asks for. */
function checkOrder(patch: JsonObject, name: string, order: unknown, schema: MergeSchema): void {
  const items = ownValue(patch, name);
  if (!Array.isArray(order)) throw badRequest("invalid patch format of setElementOrder list");
  if (!Array.isArray(items) || items.length === 0 || order.length === 0) return;
  const key = ownValue(schema.lists, name)?.key;
  const identity = (item: unknown) => (key === undefined ? item : keyOf(item, key));
  const wanted = items.filter((item) => !isObject(item) || item[directive] !== "delete");
  let [next, place] = [0, 0];
  while (next < wanted.length && place < order.length) {
    const marked = isObject(wanted[next]) && Object.hasOwn(wanted[next], directive);
    if (marked || identity(wanted[next]) === identity(order[place])) next++;
    if (!marked) place++;
  }
  if (next < wanted.length) {
    throw plainError(`The order in patch list:\n${goText(items)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
  }
}

function orderList(result: JsonObject, target: JsonObject, name: string, order: unknown, schema: MergeSchema): void {
  const present = ownValue(result, name);
  if (!Array.isArray(order)) throw badRequest("invalid patch format of setElementOrder list");
  const live = ownValue(target, name);
  if (Array.isArray(present))
    setOwnValue(result, name, mergedOrder(present, order, Array.isArray(live) ? live : [], ownValue(schema.lists, name)?.key));
}

function listDirectiveText(item: JsonObject): string {
  if (item[directive] === "merge") return "merging lists cannot yet be specified in the patch";
  return `unknown patch type: ${goText(item[directive])} in map: ${goText(item)}`;
}

const keyOf = (item: unknown, key: string): unknown => (isObject(item) ? ownValue(item, key) : undefined);

function mergeKeyOf(item: JsonObject, key: string): unknown {
  if (!Object.hasOwn(item, key)) throw plainError(`map: ${goText(item)} does not contain declared merge key: ${key}`);
  return ownValue(item, key);
}

/** A value without a counterpart to merge with: directives and nulls inside it have no effect. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const kept = Object.entries(value)
    .map(([name, member]) => [name, member === null ? undefined : withoutDirectives(member)] as const)
    .filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept);
}

/**
 * The order of a merged list. Items that the patch names stand in the patch's order, the others in the live order; a live item goes before a
 * patched one only where both were in the live list in that order, so new items come first.
 */
function mergedOrder(merged: readonly unknown[], patch: readonly unknown[], live: readonly unknown[], key: string | undefined): unknown[] {
  const identity = (item: unknown) => (key !== undefined && isObject(item) ? ownValue(item, key) : item);
  const places = (list: readonly unknown[]) => new Map(list.map((item, place) => [identity(item), place]));
  const patchPlace = places(patch);
  const livePlace = places(live);
  const byPlace = (place: Map<unknown, number>) => (a: unknown, b: unknown) =>
    (place.get(identity(a)) ?? live.length) - (place.get(identity(b)) ?? live.length);
  const patched = merged.filter((item) => patchPlace.has(identity(item))).sort(byPlace(patchPlace));
  const others = merged.filter((item) => !patchPlace.has(identity(item))).sort(byPlace(livePlace));

  const result: unknown[] = [];
  for (const item of patched) {
    const place = livePlace.get(identity(item));
    while (place !== undefined && others.length > 0 && (livePlace.get(identity(others[0])) ?? place) < place) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}
