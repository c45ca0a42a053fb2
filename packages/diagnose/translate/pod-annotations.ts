import { fieldsAt } from "./container.ts";
import type { Workload } from "./manifests.ts";

/** Annotations of a pod whose value is the name of a container. */
const naming = ["kubectl.kubernetes.io/default-container", "kubectl.kubernetes.io/default-logs-container"];

/** Annotations of a pod that end in the name of a container. The API server refuses a pod with one for a container that it does not have. */
const prefixes = ["container.apparmor.security.beta.kubernetes.io/", "container.seccomp.security.alpha.kubernetes.io/"];

/** Annotations of the pods that name containers which are gone. */
export function annotationWarnings({ object }: Workload, replaced: readonly string[]): readonly string[] {
  const annotations = fieldsAt(object, "spec", "template", "metadata", "annotations") ?? {};
  return Object.entries(annotations).flatMap(([key, value]) => {
    if (naming.includes(key) && replaced.includes(String(value)))
      return [`annotation ${key} of the pods names ${String(value)}, which is csi-sidecars now: change its value`];
    const prefix = prefixes.find((each) => key.startsWith(each) && replaced.includes(key.slice(each.length)));
    return prefix === undefined
      ? []
      : [
          `annotation ${key} of the pods is for a container that is gone: replace it with ${prefix}csi-sidecars, or the field of the securityContext that took its place`,
        ];
  });
}
