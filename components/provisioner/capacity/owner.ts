import { messageOf } from "@csi-sidecars/base";
import {
  apiVersionOf,
  type Client,
  type KubeObject,
  metadataOnly,
  type ObjectMeta,
  Pod,
  type Resource,
  resource,
} from "@csi-sidecars/kube";

/** The controlling owner that capacity objects get: they go when it goes. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: true;
}

export interface OwnerOptions {
  readonly namespace: string;
  readonly podName: string;
  /** 0: the pod; 1: what controls it (a StatefulSet, a DaemonSet, a ReplicaSet); 2: what controls that (a Deployment); and so on. */
  readonly level: number;
}

/** Follows the controlling owners up from the pod. The last one is not read: its reference says enough. */
export async function lookUpOwner(kube: Client, options: OwnerOptions, signal?: AbortSignal): Promise<Owner> {
  try {
    return await walk(kube, options, signal);
  } catch (error) {
    throw new Error(`look up owner(s) of pod: ${messageOf(error)}`, { cause: error });
  }
}

async function walk(kube: Client, { namespace, podName, level }: OwnerOptions, signal?: AbortSignal): Promise<Owner> {
  let kind: Resource = Pod;
  let metadata: ObjectMeta = (await kube.get(metadataOnly(Pod), { namespace, name: podName }, { signal })).metadata ?? {};
  for (let above = 0; ; above++) {
    if (above === level)
      return ownerOf({ apiVersion: apiVersionOf(kind), kind: kind.kind, name: metadata.name ?? "", uid: metadata.uid ?? "" });
    const reference = metadata.ownerReferences?.find(({ controller }) => controller);
    if (!reference) {
      throw new Error(`${apiVersionOf(kind)} ${kind.kind} ${namespace}/${metadata.name} has no controlling owner: lower the owner level`);
    }
    if (above + 1 === level) return ownerOf(reference);
    kind = await resourceOf(kube, reference.apiVersion, reference.kind, signal);
    const found: KubeObject = await kube.get(metadataOnly(kind), { namespace, name: reference.name }, { signal });
    if (found.metadata?.uid !== reference.uid) {
      throw new Error(`${reference.kind} ${namespace}/${reference.name} is not the one that controls ${metadata.name}: it was replaced`);
    }
    metadata = found.metadata;
  }
}

function ownerOf({ apiVersion, kind, name, uid }: Omit<Owner, "controller">): Owner {
  return { apiVersion, kind, name, uid, controller: true };
}

async function resourceOf(kube: Client, apiVersion: string, kind: string, signal?: AbortSignal): Promise<Resource> {
  const served = await kube.discover(apiVersion, { signal });
  const found = served?.find((entry) => entry.kind === kind && !entry.name.includes("/"));
  if (!found) throw new Error(`${kind} of ${apiVersion} is not served`);
  return resource(apiVersion, found.name, kind, { namespaced: found.namespaced });
}
