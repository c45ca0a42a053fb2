import { type Client, isAlreadyExists, type KubeObject, type Resource } from "@csi-sidecars/kube";

/** Makes a cluster have an object with these fields: one of a kept cluster that has others is replaced, for much of it cannot be changed. */
export async function ensure<T extends KubeObject>(admin: Client, resource: Resource<T>, object: T): Promise<void> {
  const create = () => admin.create(resource, object);
  await create().catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    const ref = { name: object.metadata?.name ?? "" };
    if (includes(await admin.get(resource, ref), object)) return;
    await admin.delete(resource, ref);
    await create();
  });
}

/** Whether everything in `part` is in `whole` too. */
export function includes(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  if (Array.isArray(part) && (!Array.isArray(whole) || whole.length !== part.length)) return false;
  const fields: Readonly<Record<string, unknown>> = { ...whole };
  return Object.entries(part).every(([key, value]) => includes(fields[key], value));
}
