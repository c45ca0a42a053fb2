import type { KubeObject } from "./object.ts";

/** A kind as a value: its path in the API and the type of its objects. Everything else is generic over it. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether `status` is a subresource. */
  readonly status: boolean;
  /** Whether objects have integers that a number cannot hold: they are read as bigints. Other kinds are parsed as fast as can be. */
  readonly int64?: true;
  /** Whether reads request metadata only: see {@link metadataOnly}. */
  readonly metadataOnly?: true;
  /** Carries the object type; never set. */
  readonly object?: T;
}

/** The types of kubernetes-models require `apiVersion` and `kind`, which list items and cached objects do not carry. */
export type Untagged<T> = Omit<T, "apiVersion" | "kind"> & KubeObject;

export function resource<T extends KubeObject>(
  apiVersion: string,
  plural: string,
  kind: string,
  options: { namespaced: boolean; status?: boolean; int64?: true },
): Resource<T> {
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    plural,
    kind,
    namespaced: options.namespaced,
    status: options.status ?? false,
    ...(options.int64 && { int64: true }),
  };
}

/**
 * The same kind for readers of names, labels or finalizers: `get`, `list` and `watch` bring objects without spec and status. A server without
 * support for it sends whole objects.
 *
 * ```ts
 * const { metadata } = await client.get(metadataOnly(Node), { name: "node-1" });
 * ```
 */
export function metadataOnly(resource: Resource): Resource<KubeObject> {
  return { ...resource, metadataOnly: true };
}

export function apiVersionOf(resource: Resource): string {
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}

/** `volumeattachments.storage.k8s.io`, or `pods` for the core group: how error messages and RBAC name a kind. */
export function groupResourceOf(resource: Resource): string {
  return resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
}
