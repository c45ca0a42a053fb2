import {
  Event,
  isNotFound,
  type KubeObject,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  StorageClass,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { driverName } from "./cluster-objects.ts";
import { eventually } from "./eventually.ts";
import type { Parts } from "./start-parts.ts";

/** One step of the story: something is done, and then something must be seen. */
export interface Step {
  readonly title: string;
  act(parts: Parts, signal: AbortSignal): Promise<unknown>;
  /** What is waited for. */
  readonly expected: string;
  /** What was seen, in words; `undefined` as long as it is not. */
  look(parts: Parts): Promise<string | undefined>;
}

const storageClassName = "story";
const inDefault = (name: string) => ({ namespace: "default", name });

const claim = ({ admin }: Parts, name: string) =>
  admin.create(PersistentVolumeClaim, {
    metadata: inDefault(name),
    spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });

async function present<T extends KubeObject>({ admin }: Parts, resource: Resource<T>, ref: ObjectRef): Promise<T | undefined> {
  return admin.get(resource, ref).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** The name of the volume that a claim is bound to. */
async function boundVolume(parts: Parts, name: string): Promise<string | undefined> {
  const found = await present(parts, PersistentVolumeClaim, inDefault(name));
  return found?.status?.phase === "Bound" ? found.spec?.volumeName : undefined;
}

const unfinishedCreations = async ({ driver }: Parts) =>
  (await driver.control.calls("CreateVolume")).filter(({ endNs }) => endNs === undefined);

/** A volume from its class to its end, with both processes killed on the way. */
export const story: readonly Step[] = [
  {
    title: `Create the StorageClass "${storageClassName}" for the driver ${driverName}`,
    act: ({ admin }) => admin.create(StorageClass, { metadata: { name: storageClassName }, provisioner: driverName }),
    expected: "the class",
    look: async (parts) => (await present(parts, StorageClass, { name: storageClassName })) && "the class is there",
  },
  {
    title: 'Create the claim "data" of 1Gi',
    act: (parts) => claim(parts, "data"),
    expected: "the claim bound to a volume that the driver has",
    async look(parts) {
      const name = await boundVolume(parts, "data");
      const made = (await parts.driver.control.volumes()).find((volume) => volume.name === name);
      return made && `bound to ${name}, in the driver ${made.id}`;
    },
  },
  {
    title: 'Start the pod "app" on node-1 that uses the claim',
    act: ({ admin }) =>
      admin.create(Pod, {
        metadata: inDefault("app"),
        spec: {
          nodeName: "node-1",
          containers: [{ name: "app", image: "app" }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      }),
    expected: "the volume attached to node-1 and the pod running",
    async look(parts) {
      const [attachment] = (await parts.admin.list(VolumeAttachment)).items;
      const pod = await present(parts, Pod, inDefault("app"));
      const [volume] = await parts.driver.control.volumes();
      const onNode = volume?.attachments.some(({ nodeId }) => nodeId === "node-1");
      return attachment?.status?.attached && onNode && pod?.status?.phase === "Running"
        ? "VolumeAttachment attached, the driver agrees, the pod runs"
        : undefined;
    },
  },
  {
    title: 'Kill the driver (-9), and create the claim "patient" while it is away',
    async act(parts) {
      await parts.driver.process.stop("SIGKILL");
      await claim(parts, "patient");
    },
    expected: "the sidecar to report the driver's absence, and the claim to wait",
    async look(parts) {
      const health = await parts.sidecar.status("/healthz");
      const patient = await present(parts, PersistentVolumeClaim, inDefault("patient"));
      return health === 500 && patient?.status?.phase === "Pending" ? "/healthz answers 500, the claim is Pending" : undefined;
    },
  },
  {
    title: "Start the driver again",
    act: async ({ driver }) => driver.process.start(),
    expected: "the claim bound and the sidecar healthy",
    async look(parts) {
      const name = await boundVolume(parts, "patient");
      return name && (await parts.sidecar.status("/healthz")) === 200 ? `/healthz answers 200, bound to ${name}` : undefined;
    },
  },
  {
    title: 'Create the claim "halfway", and kill the sidecar (-9) when the driver has made the volume but not yet said so',
    async act(parts, signal) {
      await parts.driver.control.setRules([{ method: "CreateVolume", phase: "after", times: 1, action: { hang: true } }]);
      await claim(parts, "halfway");
      await eventually("CreateVolume under way", async () => (await unfinishedCreations(parts))[0], { signal });
      await parts.sidecar.process.kill();
    },
    expected: "the new process to find the volume, bind the claim to it and leave no second one",
    async look(parts) {
      const name = await boundVolume(parts, "halfway");
      if (name === undefined) return undefined;
      const made = (await parts.driver.control.volumes()).filter((volume) => volume.name === name).length;
      const asked = (await parts.driver.control.calls("CreateVolume")).filter(({ request }) => request.name === name).length;
      return made === 1 && asked > 1 ? `bound to ${name}; asked for ${asked} times, made once` : undefined;
    },
  },
  {
    title: "Delete the pod and the claims",
    async act({ admin }) {
      await admin.delete(Pod, inDefault("app"));
      for (const name of ["data", "patient", "halfway"]) await admin.delete(PersistentVolumeClaim, inDefault(name));
    },
    expected: "no attachment, no volume, and an empty driver",
    async look({ admin, driver }) {
      const lists = await Promise.all([
        admin.list(VolumeAttachment).then(({ items }) => items.length),
        admin.list(PersistentVolume).then(({ items }) => items.length),
        admin.list(PersistentVolumeClaim).then(({ items }) => items.length),
        driver.control.volumes().then((volumes) => volumes.length),
      ]);
      const left = lists.reduce((sum, count) => sum + count);
      return left === 0 ? "no VolumeAttachment, no PersistentVolume, the driver is empty" : undefined;
    },
  },
  {
    title: "Delete the class",
    act: ({ admin }) => admin.delete(StorageClass, { name: storageClassName }),
    expected: "the class gone",
    async look(parts) {
      if (await present(parts, StorageClass, { name: storageClassName })) return undefined;
      const { items } = await parts.admin.list(Event);
      return `gone; ${items.length} events tell the story`;
    },
  },
];
