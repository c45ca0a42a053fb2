import { apiVersionOf, type EventRecorder, type KubeObject, type Resource } from "@csi-sidecars/kube";

/** An object as a cache holds it: without its kind. */
interface CachedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string; readonly resourceVersion: string };
}

/** Emits events about objects of one kind. */
export interface ObjectEvents {
  normal(object: CachedObject, reason: string, message: string): void;
  warning(object: CachedObject, reason: string, message: string): void;
}

/**
 * Events about the objects of a kind, as caches hold them.
 *
 * ```ts
 * const claims = objectEvents(context.events(`external-resizer ${driver}`), PersistentVolumeClaim);
 * claims.warning(claim, "VolumeResizeFailed", error.message);
 * ```
 */
export function objectEvents<T extends KubeObject>(recorder: EventRecorder, resource: Resource<T>): ObjectEvents {
  const emit =
    (type: "Normal" | "Warning") =>
    ({ metadata: { name, namespace, uid, resourceVersion } }: CachedObject, reason: string, message: string): void => {
      const involved = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace, uid, resourceVersion };
      recorder.event(involved, type, reason, message);
    };
  return { normal: emit("Normal"), warning: emit("Warning") };
}
