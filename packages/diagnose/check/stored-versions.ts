import { type CallOptions, type Client, groupResourceOf, type Resource } from "@csi-sidecars/kube";

/** In which versions the objects of a custom kind are stored. */
export interface StoredVersions {
  /** `volumesnapshots.snapshot.storage.k8s.io` */
  readonly kind: string;
  /** The version in which objects are stored when they are written. */
  readonly current: string;
  /** Versions in which objects that nobody has written since may still be stored. */
  readonly older: readonly string[];
}

interface Definition {
  readonly spec?: { readonly versions?: readonly { readonly name: string; readonly storage?: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/**
 * Reads the definitions of custom kinds. Components may not, and need not: who checks a cluster often may. `undefined` where it is not
 * allowed, or where there is no definition.
 */
export async function storedVersions(
  client: Pick<Client, "raw">,
  kind: Resource,
  options: CallOptions,
): Promise<StoredVersions | undefined> {
  const name = groupResourceOf(kind);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const definition = await client.raw<Definition>("GET", path, undefined, options).catch(() => undefined);
  const current = definition?.spec?.versions?.find(({ storage }) => storage)?.name;
  if (current === undefined) return undefined;
  return { kind: name, current, older: definition?.status?.storedVersions?.filter((version) => version !== current) ?? [] };
}
