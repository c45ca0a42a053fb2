import { goQuote, type Result } from "@csi-sidecars/base";
import type { Key } from "@csi-sidecars/kube";
import type { Claim, Volume } from "./fields.ts";

/** What a snapshot is taken of. */
export interface Source {
  readonly claim: Claim;
  readonly volume: Volume;
}

interface Lookup<P> {
  get(key: Key): P | undefined;
}

type Kind = "snapshot" | "group snapshot";

/** The claim that a snapshot names and its volume, or why it cannot be taken. */
export function sourceOf(
  caches: { readonly claims: Lookup<Claim>; readonly volumes: Lookup<Volume> },
  { name, namespace = "" }: { readonly name: string; readonly namespace?: string },
): Result<Source> {
  const claim = caches.claims.get(`${namespace}/${name}`);
  if (!claim) return { error: `failed to retrieve PVC ${name} from the lister: ${goQuote(`persistentvolumeclaim "${name}" not found`)}` };
  const volume = volumeOf(caches.volumes, claim, "snapshot");
  return volume.error === undefined ? { value: { claim, volume: volume.value } } : volume;
}

/** The volume that a claim is bound to, or why it cannot be snapshotted. */
export function volumeOf(volumes: Lookup<Volume>, { metadata, spec, status }: Claim, kind: Kind): Result<Volume> {
  const name = spec?.volumeName ?? "";
  if (status?.phase !== "Bound" || name === "") {
    return { error: `the PVC ${metadata.name} is not yet bound to a PV, will not attempt to take a ${kind}` };
  }
  const volume = volumes.get(name);
  if (!volume) {
    return { error: `failed to retrieve PV ${name} from the API server: ${goQuote(`persistentvolumes "${name}" not found`)}` };
  }
  const { name: claimName, namespace, uid = "" } = volume.spec?.claimRef ?? {};
  const isBound = claimName === metadata.name && namespace === metadata.namespace && (uid === "" || uid === metadata.uid);
  return isBound ? { value: volume } : { error: "claim in dataSource not bound or invalid" };
}
