import type { ObjectRef } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { ListOptions, WatchOptions } from "./client.ts";

/** Where the objects of a kind are listed; without `namespace`, those of all namespaces. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const { base, plural } = kindPath(resource);
  if (!resource.namespaced || !namespace) return `${base}/${plural}`;
  return `${base}/namespaces/${segment("namespace", namespace)}/${plural}`;
}

const kindPaths = new WeakMap<Resource, { readonly base: string; readonly plural: string }>();

/** What the paths of a kind have in common: there are few kinds, and each is checked once. */
function kindPath(resource: Resource): { readonly base: string; readonly plural: string } {
  let path = kindPaths.get(resource);
  if (!path) {
    path = { base: groupVersionPath(resource.group, resource.version), plural: segment("resource", resource.plural) };
    kindPaths.set(resource, path);
  }
  return path;
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
  return subresource === undefined ? path : `${path}/${segment("subresource", subresource)}`;
}

/** `/api/v1` for the core group, `/apis/<group>/<version>` for every other. */
export function groupVersionPath(group: string, version: string): string {
  const last = segment("version", version);
  return group ? `/apis/${segment("group", group)}/${last}` : `/api/${last}`;
}

const plain = /^[\w.~-]+$/;

/** URL-encoding does not help for these names: a server or proxy would resolve the dots, or split at the encoded slash. */
function segment(what: string, value: string): string {
  if (value === "" || value === "." || value === ".." || value.includes("/") || value.includes("%")) {
    throw new InvalidRequestError(
      `invalid ${what} ${JSON.stringify(value)}: it may not be empty, "." or ".." and may not contain "/" or "%"`,
    );
  }
  return plain.test(value) ? value : encodeURIComponent(value);
}

type Value = string | number | boolean | undefined;

/** `?a=1&b=2`, or nothing when no value is set. An empty text counts as not set, as everywhere in the Kubernetes API. */
function query(values: Readonly<Record<string, Value>>): string {
  let text = "";
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") text += `${text ? "&" : "?"}${key}=${encodeURIComponent(value)}`;
  }
  return text;
}

export function listQuery(o: ListOptions): string {
  return query({
    continue: o.continue,
    fieldSelector: o.fieldSelector,
    labelSelector: o.labelSelector,
    limit: o.limit,
    resourceVersion: o.resourceVersion,
    resourceVersionMatch: o.resourceVersionMatch,
  });
}

export function watchQuery(o: WatchOptions): string {
  return query({
    allowWatchBookmarks: o.allowWatchBookmarks,
    fieldSelector: o.fieldSelector,
    labelSelector: o.labelSelector,
    resourceVersion: o.resourceVersion,
    resourceVersionMatch: o.resourceVersionMatch,
    sendInitialEvents: o.sendInitialEvents,
    timeoutSeconds: o.timeoutSeconds,
    watch: true,
  });
}

export function writeQuery(o: { readonly dryRun?: boolean } | undefined): string {
  return o?.dryRun ? "?dryRun=All" : "";
}

/** The call cannot be expressed as a request (no name, no namespace): a bug of the caller. Nothing was sent, a retry is useless. */
export class InvalidRequestError extends Error {
  override readonly name = "InvalidRequestError";
}
