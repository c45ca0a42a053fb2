import type { IPod } from "kubernetes-models/v1/Pod";

export type ObjectMeta = NonNullable<IPod["metadata"]>;

/** What every Kubernetes object has. `apiVersion` and `kind` are absent inside lists and caches: the {@link Resource} supplies them. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Which object: `namespace` is left out for cluster-scoped kinds. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key of stores and work queues. */
export type Key = string;

export function keyOf(object: { readonly metadata?: Partial<ObjectRef> }): Key {
  const { namespace, name } = object.metadata ?? {};
  return refKey({ name: name ?? "", namespace });
}

export function refKey(ref: ObjectRef): Key {
  return ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
}

export function refOf(key: Key): ObjectRef {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** A time as `metav1.Time` is written: RFC 3339 with whole seconds. */
export function metav1Time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
