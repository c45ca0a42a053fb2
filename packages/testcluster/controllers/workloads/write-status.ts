import { type Client, type KubeObject, mergePatch, type Resource } from "@csi-sidecars/kube";

/** Writes the fields of a status that differ from those read; nothing where none does. */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  client: Client,
  resource: Resource<T>,
  { metadata, status = {} }: T,
  wanted: object,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<string, unknown>(Object.entries(status));
  const changed = Object.entries(wanted).filter(
    ([field, value]) => JSON.stringify(known.get(field) ?? zeroOf(value)) !== JSON.stringify(value),
  );
  if (changed.length === 0) return;
  const { name = "", namespace } = metadata ?? {};
  const patch = mergePatch({ status: Object.fromEntries(changed) });
  await client.patch(resource, { name, namespace }, patch, { subresource: "status", signal });
}

/** A real API server leaves zeros out. */
const zeroOf = (value: unknown) => (typeof value === "number" ? 0 : undefined);
