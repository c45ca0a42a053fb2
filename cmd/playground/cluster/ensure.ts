import { type Client, isAlreadyExists, type KubeObject, type Resource } from "@csi-sidecars/kube";

/** Creates an object, unless a kept cluster has it already. */
export async function ensure<T extends KubeObject>(admin: Client, resource: Resource<T>, object: T): Promise<void> {
  await admin.create(resource, object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
