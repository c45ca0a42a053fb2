import { silentLogger, systemClock } from "@csi-sidecars/base";
import {
  type Client,
  connect,
  createClient,
  type KubeObject,
  loadConfig,
  mergePatch,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  type Resource,
  userAgent,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { inParallel } from "./in-parallel.ts";
import { attachedVolume, namespaceCount, namespaceName } from "./volumes.ts";

/** Makes bound and attached volumes through the API, as fast as the server takes them. */
export async function seedVolumes(kubeconfig: string, count: number): Promise<void> {
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: userAgent({ name: "bench-seed", version: "v0.0.0" }) });
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "seed", qps: -1, burst: 0 });
  try {
    await createNamespaces(client);
    await inParallel(count, 100, (index) => createAttached(client, index));
  } finally {
    transport.close();
  }
}

/** The namespaces of all claims. */
export async function createNamespaces(client: Client): Promise<void> {
  await inParallel(namespaceCount, 20, (index) => client.create(Namespace, { metadata: { name: namespaceName(index) } }));
}

/** The volume number `index` and its claim, bound to each other as the binder leaves them. */
export async function createBound(client: Client, index: number): Promise<void> {
  const { volume, claim } = attachedVolume(index);
  const { uid } = (await create(client, PersistentVolumeClaim, claim, claim.status)).metadata ?? {};
  const bound = { ...volume, spec: { ...volume.spec, claimRef: { ...volume.spec?.claimRef, uid } } };
  await create(client, PersistentVolume, bound, { phase: "Bound" });
}

/** The volume number `index`, its claim and its attachment. */
export async function createAttached(client: Client, index: number): Promise<void> {
  const { attachment } = attachedVolume(index);
  await createBound(client, index);
  await create(client, VolumeAttachment, attachment, attachment.status);
}

/** A server takes `status` of these kinds only through the subresource. */
async function create<T extends KubeObject>(client: Client, resource: Resource<T>, object: T, status: unknown): Promise<T> {
  const created = await client.create(resource, object);
  const { name = "", namespace } = object.metadata ?? {};
  await client.patch(resource, { name, namespace }, mergePatch({ status }), { subresource: "status" });
  return created;
}
