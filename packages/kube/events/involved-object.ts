import type { KubeObject } from "../object.ts";
import { apiVersionOf, type Resource } from "../resource.ts";

/** The object an event is about. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Cached objects do not carry their kind, so the resource says it: `events.event(involved(PersistentVolumeClaim, claim), ...)`. */
export function involved<T extends KubeObject>(resource: Resource<T>, object: T): InvolvedObject {
  const { name = "", namespace, uid, resourceVersion } = object.metadata ?? {};
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace, uid, resourceVersion };
}
