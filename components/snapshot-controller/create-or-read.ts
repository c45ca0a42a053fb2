import { type CallOptions, type Client, isAlreadyExists, type KubeObject, type Resource } from "@csi-sidecars/kube";

/** Creates an object. If there is one of its name, returns that one: an earlier attempt may have created it. Whether it did is for the caller to check. */
export async function createOrRead<T extends KubeObject>(
  kube: Pick<Client, "create" | "get">,
  resource: Resource<T>,
  object: T,
  options: CallOptions,
): Promise<T> {
  try {
    return await kube.create(resource, object, options);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name = "", namespace } = object.metadata ?? {};
    return await kube.get(resource, { name, namespace }, options);
  }
}
