import { type Client, isNotFound, mergePatch, Pod, StatusError } from "@csi-sidecars/kube";
import type { ClusterPod } from "../fields.ts";

/** Gives a pod its node for good, through the binding subresource; servers without it take `spec.nodeName` once. */
export async function assignNode(client: Client, { metadata }: ClusterPod, node: string, signal: AbortSignal): Promise<void> {
  const { name, namespace = "", uid, resourceVersion } = metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
  try {
    await client.raw("POST", `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding, { signal });
  } catch (error) {
    if (!isNotServed(error)) throw error;
    await client.patch(Pod, { name, namespace }, mergePatch({ metadata: { resourceVersion }, spec: { nodeName: node } }), { signal });
  }
}

/** The path is unknown, not the pod: then the answer names no object. */
function isNotServed(error: unknown): boolean {
  return isNotFound(error) && error instanceof StatusError && error.status.details?.name === undefined;
}
