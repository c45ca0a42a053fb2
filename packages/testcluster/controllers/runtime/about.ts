import { type InvolvedObject, involved, type KubeObject, type Resource } from "@csi-sidecars/kube";

interface Known {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string; readonly resourceVersion: string };
}

/** The object of an event, from a cache. */
export function about(resource: Resource, { metadata: { name, namespace, uid, resourceVersion } }: Known): InvolvedObject {
  const object: KubeObject = { metadata: { name, namespace, uid, resourceVersion } };
  return involved(resource, object);
}
