import { apiVersionOf, type EventRecorder, type KubeObject, type Resource } from "@csi-sidecars/kube";
import { truncateMessage } from "./truncate-message.ts";

/** A driver's error may have 64 KiB, and is repeated with every retry; what helps a reader is at its beginning. */
const maxEventBytes = 16 * 1024;

/** An object as a cache holds it: without its kind. */
interface CachedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string; readonly resourceVersion: string };
}

/** Emits events about objects of one kind, with the first 16 KiB of their messages. */
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
      recorder.event(involved, type, reason, truncateMessage(message, maxEventBytes));
    };
  return { normal: emit("Normal"), warning: emit("Warning") };
}
