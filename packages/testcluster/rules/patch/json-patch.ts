import { ownValue, setOwnValue } from "@csi-sidecars/base";
import { deepEqual, isObject, type JsonObject } from "../json.ts";
import { badRequest, patchRejected } from "../status.ts";

/**
 * JSON patch (RFC 6902) as the real server applies it: `replace` of an absent member adds it, `test` of an absent member
 * against null succeeds, negative indexes count from the end, and every failure is the same 422.
 * The target is not changed.
 */
export function applyJsonPatch(target: JsonObject, patch: unknown): JsonObject {
  if (!Array.isArray(patch))
    throw badRequest("error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  let document: unknown = structuredClone(target);
  for (const operation of patch) document = applied(document, operation);
  if (!isObject(document)) throw patchRejected();
  return document;
}

function applied(document: unknown, operation: unknown): unknown {
  if (!isObject(operation)) throw patchRejected();
  const path = pointer(operation.path);
  switch (operation.op) {
    case "add":
      return add(document, path, valueToSet(operation));
    case "remove":
      return remove(document, path);
    case "replace":
      return replace(document, path, valueToSet(operation));
    case "test":
      if (!passes(document, path, operation.value)) throw patchRejected();
      return document;
    case "move": {
      const value = read(document, pointer(operation.from));
      return add(remove(document, pointer(operation.from)), path, value);
    }
    case "copy":
      return add(document, path, structuredClone(read(document, pointer(operation.from))));
    default:
      throw patchRejected();
  }
}

function pointer(path: unknown): readonly string[] {
  if (typeof path !== "string") throw patchRejected();
  if (path === "") return [];
  if (!path.startsWith("/")) throw patchRejected();
  return path
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueToSet(operation: JsonObject): unknown {
  return structuredClone(operation.value ?? null);
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  return edit(document, path, {
    whole: () => value,
    member: (object, name) => {
      setOwnValue(object, name, value);
    },
    item: (array, token) => {
      if (token === "-") array.push(value);
      else array.splice(index(token, array.length + 1), 0, value);
    },
  });
}

function replace(document: unknown, path: readonly string[], value: unknown): unknown {
  return edit(document, path, {
    whole: () => value,
    member: (object, name) => {
      setOwnValue(object, name, value);
    },
    item: (array, token) => {
      array[index(token, array.length)] = value;
    },
  });
}

function remove(document: unknown, path: readonly string[]): unknown {
  return edit(document, path, {
    whole: () => undefined,
    member: (object, name) => {
      if (!Object.hasOwn(object, name)) throw patchRejected();
      delete object[name];
    },
    item: (array, token) => {
      array.splice(index(token, array.length), 1);
    },
  });
}

function passes(document: unknown, path: readonly string[], wanted: unknown): boolean {
  return deepEqual(read(document, path) ?? null, wanted ?? null);
}

/** The value at a path whose parent exists; an absent member reads as `undefined`, an absent item is an error. */
function read(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1);
  if (last === undefined) return document;
  const parent = container(document, path.slice(0, -1));
  return Array.isArray(parent) ? parent[index(last, parent.length)] : ownValue(parent, last);
}

interface Edit {
  whole(): unknown;
  member(object: JsonObject, name: string): void;
  item(array: unknown[], token: string): void;
}

function edit(document: unknown, path: readonly string[], change: Edit): unknown {
  const last = path.at(-1);
  if (last === undefined) return change.whole();
  const parent = container(document, path.slice(0, -1));
  if (Array.isArray(parent)) change.item(parent, last);
  else change.member(parent, last);
  return document;
}

function container(document: unknown, path: readonly string[]): JsonObject | unknown[] {
  const found = read(document, path);
  if (Array.isArray(found) || isObject(found)) return found;
  throw patchRejected();
}

function index(token: string, length: number): number {
  if (!/^[+-]?\d+$/.test(token)) throw patchRejected();
  const wanted = Number(token);
  const found = wanted < 0 ? wanted + length : wanted;
  if (found < 0 || found >= length) throw patchRejected();
  return found;
}
