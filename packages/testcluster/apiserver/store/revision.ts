import { dictionary, stringifyExactJson } from "@csi-sidecars/base";
import { type JsonObject, objectAt, stringAt } from "../../rules/json.ts";

/**
 * One version of one object, never changed once stored. The JSON text is made at most once, and without `kind` and
 * `apiVersion`: those differ by the version through which the object is read.
 */
export class Revision {
  readonly key: string;
  readonly version: number;
  readonly object: JsonObject;
  #body: string | undefined;

  constructor(key: string, version: number, object: JsonObject) {
    this.key = key;
    this.version = version;
    this.object = object;
  }

  /** The object's JSON from the first member on, without the opening brace. */
  get body(): string {
    this.#body ??= bodyOf(this.object);
    return this.#body;
  }

  /** The same object as of a later version: what the event of a deletion carries. */
  at(version: number): Revision {
    return new Revision(this.key, version, stamped(this.object, version));
  }
}

/** The object as it is stored: told its version, with neither `kind` nor `apiVersion`. */
export function stamped(object: JsonObject, version: number): JsonObject {
  const stored = dictionary<unknown>({ metadata: { ...objectAt(object, "metadata"), resourceVersion: String(version) } });
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined && name !== "metadata" && name !== "kind" && name !== "apiVersion") stored[name] = value;
  }
  return stored;
}

/** JSON of an object that follows a prefix such as `{"kind":"Pod","apiVersion":"v1",`. */
export const bodyOf = (object: JsonObject): string => stringifyExactJson(object).slice(1);

/** `namespace/name`, or `name` where there is no namespace: also the order of lists. */
export function storageKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

export const keyOfObject = (object: JsonObject): string =>
  storageKey(stringAt(object, "metadata", "namespace"), stringAt(object, "metadata", "name"));
