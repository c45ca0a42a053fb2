import { type LabelSelector, labelSelectorText } from "@csi-sidecars/kube";
import { at, type JsonObject, objectAt, stringAt, withAt } from "../../rules/json.ts";

/** What the `scale` subresource of a workload shows and takes. */
export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

export const scaleBody = { kind: scaleKind.kind, schemaName: () => undefined };

/** A workload as its `scale` subresource shows it. */
export function scaleOf(object: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = objectAt(object, "metadata");
  return {
    kind: scaleKind.kind,
    apiVersion: `${scaleKind.group}/${scaleKind.version}`,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, "spec", "replicas") ?? 0 },
    status: {
      replicas: at(object, "status", "replicas") ?? 0,
      selector: labelSelectorText(objectAt(object, "spec", "selector") as LabelSelector),
    },
  };
}

/** The workload with the size that a written scale asks for. A version in it is a precondition. */
export function withScale(object: JsonObject, scale: JsonObject): JsonObject {
  const sized = withAt(object, ["spec", "replicas"], at(scale, "spec", "replicas") ?? 0);
  return withAt(sized, ["metadata", "resourceVersion"], stringAt(scale, "metadata", "resourceVersion") || undefined);
}
