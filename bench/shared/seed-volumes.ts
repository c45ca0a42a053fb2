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
    await inParallel(namespaceCount, 20, (index) => client.create(Namespace, { metadata: { name: namespaceName(index) } }));
    await inParallel(count, 100, async (index) => {
      const { volume, claim, attachment } = attachedVolume(index);
      await create(client, PersistentVolume, volume, { phase: "Bound" });
      await create(client, PersistentVolumeClaim, claim, claim.status);
      await create(client, VolumeAttachment, attachment, attachment.status);
    });
  } finally {
    transport.close();
  }
}

/** A server takes `status` of these kinds only through the subresource. */
async function create<T extends KubeObject>(client: Client, resource: Resource<T>, object: T, status: unknown): Promise<void> {
  await client.create(resource, object);
  const { name = "", namespace } = object.metadata ?? {};
  await client.patch(resource, { name, namespace }, mergePatch({ status }), { subresource: "status" });
}
