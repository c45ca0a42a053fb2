import type { ObjectRef } from "../object.ts";
import type { Resource } from "../resource.ts";
import { InvalidRequestError } from "./invalid-request.ts";

/** Where the objects of a kind are listed; without `namespace`, those of all namespaces. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const base = groupVersionPath(resource.group, resource.version);
  if (!resource.namespaced || !namespace) return `${base}/${resource.plural}`;
  return `${base}/namespaces/${segment("namespace", namespace)}/${resource.plural}`;
}

/** Where objects are created: a namespaced kind needs its namespace here. */
export function creationPath(resource: Resource, namespace: string | undefined): string {
  if (resource.namespaced && !namespace) {
    throw new InvalidRequestError(`an empty namespace may not be set during creation (${resource.plural})`);
  }
  return collectionPath(resource, namespace);
}

/** Where one object lives, or one of its subresources. */
export function objectPath(resource: Resource, ref: ObjectRef, subresource?: string): string {
  if (!ref.name) throw new InvalidRequestError(`resource name may not be empty (${resource.plural})`);
  if (resource.namespaced && !ref.namespace) {
    throw new InvalidRequestError(
      `an empty namespace may not be set when a resource name is provided (${resource.plural} ${JSON.stringify(ref.name)})`,
    );
  }
  const path = `${collectionPath(resource, ref.namespace)}/${segment("resource name", ref.name)}`;
  return subresource ? `${path}/${subresource}` : path;
}

/** `/api/v1` for the core group, `/apis/<group>/<version>` for every other. */
export function groupVersionPath(group: string, version: string): string {
  return group ? `/apis/${group}/${version}` : `/api/${version}`;
}

const plain = /^[\w.~-]+$/;

/** URL-encoding cannot save these names: a server or proxy would resolve the dots, or split at the encoded slash. */
function segment(what: string, value: string): string {
  if (value === "." || value === ".." || value.includes("/") || value.includes("%")) {
    throw new InvalidRequestError(`invalid ${what} ${JSON.stringify(value)}: it may not be "." or ".." and may not contain "/" or "%"`);
  }
  return plain.test(value) ? value : encodeURIComponent(value);
}
