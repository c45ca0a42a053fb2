import type { Client } from "@csi-sidecars/kube";
import type { ClusterPod } from "../fields.ts";

/** Gives a pod its node for good, through the binding subresource. */
export async function assignNode(client: Client, { metadata }: ClusterPod, node: string, signal: AbortSignal): Promise<void> {
  const { name, namespace = "", uid } = metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
  await client.raw("POST", `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding, { signal });
}
