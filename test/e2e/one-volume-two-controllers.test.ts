import { expect, test } from "bun:test";
import { isNotFound, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from "@csi-sidecars/kube";
import { addNode, attach, attached } from "./testing/objects.ts";
import { until } from "./testing/until.ts";
import { rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const ofProvisioner = "external-provisioner.volume.kubernetes.io/finalizer";
const ofAttacher = "external-attacher/driver-example-com";

/** A claim of a class of the driver, bound; answers with the name of its volume. */
async function boundVolume({ cluster: { admin }, driver }: World): Promise<string> {
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver.settings.name });
  await admin.create(PersistentVolumeClaim, {
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
  });
  return until("the claim is bound", async () => {
    const { spec, status } = await admin.get(PersistentVolumeClaim, { namespace: "default", name: "data" });
    return status?.phase === "Bound" && spec?.volumeName;
  });
}

const finalizersOf = async ({ cluster }: World, name: string) =>
  (await cluster.admin.get(PersistentVolume, { name })).metadata?.finalizers?.filter((finalizer) => finalizer.startsWith("external-"));

test.each([
  [
    "provisioner and attacher in one process: it is born with both finalizers, and attaching it takes two requests",
    "attacher,provisioner",
    [ofProvisioner, ofAttacher],
    2,
  ],
  ["each in a process of its own: the attacher adds its finalizer when it needs it", undefined, [ofProvisioner], 3],
])(
  "a new volume, %s",
  async (_, together, bornWith, requests) => {
    await using world = await startE2eWorld({ cluster: { storageControllers: true, nodes: false } });
    const { cluster, driver } = world;
    await addNode(cluster, "node", driver.settings.name);
    const users = await Promise.all(
      (together ? [together] : ["provisioner", "attacher"]).map(async (controllers) => {
        const { name, kubeconfig } = await world.account(rolesFor(controllers));
        world.start(controllers, [`--controllers=${controllers}`, `--kubeconfig=${kubeconfig}`]);
        return name;
      }),
    );
    const volume = await boundVolume(world);
    expect(await finalizersOf(world, volume)).toEqual(bornWith);

    await attach(cluster, volume, "node", driver.settings.name);
    await attached(cluster, volume);
    expect(await finalizersOf(world, volume)).toEqual([ofProvisioner, ofAttacher]);
    const patches = (await cluster.requests()).filter(({ user, verb, name }) => users.includes(user) && verb === "patch" && name !== "");
    expect(patches.map(({ resource }) => resource)).toHaveLength(requests);

    await cluster.admin.delete(VolumeAttachment, { name: `va-${volume}` });
    await cluster.admin.delete(PersistentVolumeClaim, { namespace: "default", name: "data" });
    await until("the volume is gone", () => cluster.admin.get(PersistentVolume, { name: volume }).then(() => false, isNotFound));
    expect([...driver.volumes.keys()]).toEqual([]);
  },
  60_000,
);
