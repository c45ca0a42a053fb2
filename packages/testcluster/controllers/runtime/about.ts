import type { KubeObject, Resource } from "@csi-sidecars/kube";
import { type InvolvedObject, involved } from "../../../kube/events/involved-object.ts";

interface Known {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string; readonly resourceVersion: string };
}

/** The object of an event, from a cache. */
export function about(resource: Resource, { metadata: { name, namespace, uid, resourceVersion } }: Known): InvolvedObject {
  const object: KubeObject = { metadata: { name, namespace, uid, resourceVersion } };
  return involved(resource, object);
}
