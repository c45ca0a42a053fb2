import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { CSIDriver, type KubeObject, keyOf, type Resource, refKey, type V1Pod, VolumeAttachment } from "@csi-sidecars/kube";
import { type ClusterReader, found, type Lookup, missing } from "../../access/read-cluster.ts";
import { attachment, bound, driver, pod, volume } from "../testing/objects.ts";
import { reportOn, responsibleFor } from "../testing/sidecars.ts";
import { gatherPod } from "./pod.ts";

const forbidden = { state: "unreadable", because: "forbidden" } as const;

/** A cluster of these objects; kinds that may not be read are `hidden`. */
function clusterOf(objects: Readonly<Record<string, readonly KubeObject[]>>, hidden: readonly Resource[] = []): ClusterReader {
  const isHidden = (resource: Resource) => hidden.some(({ plural }) => plural === resource.plural);
  const all = <T extends KubeObject>({ kind }: Resource<T>) => (objects[kind] ?? []) as readonly T[];
  return {
    notes: [],
    async get<T extends KubeObject>(
      resource: Resource<T>,
      ref: { readonly name: string; readonly namespace?: string },
    ): Promise<Lookup<T>> {
      if (isHidden(resource as Resource)) return forbidden;
      const object = all(resource).find((each) => keyOf(each) === refKey(ref));
      return object ? found(object) : missing;
    },
    list: async <T extends KubeObject>(resource: Resource<T>) => (isHidden(resource as Resource) ? forbidden : found(all(resource))),
  };
}

const named = (name: string, nodeName: string): V1Pod => ({ ...pod({ nodeName }), metadata: { name, namespace: "default", uid: name } });
const objects = (accessModes: NonNullable<NonNullable<Parameters<typeof volume>[0]>["accessModes"]>, attachRequired = true) => ({
  Pod: [named("app", "n2"), named("old", "n1"), named("other", "n3")],
  PersistentVolumeClaim: [bound()],
  PersistentVolume: [volume({ accessModes }, { phase: "Bound" })],
  VolumeAttachment: [attachment({ attached: true })],
  CSIDriver: [{ metadata: { name: driver }, spec: { attachRequired } }],
});

function gather(cluster: ClusterReader) {
  const context = { cluster, clock: new FakeClock(), responsibleFor, reportOn, infeasibleRetryMs: 0 };
  return gatherPod(context, { namespace: "default", name: "app" });
}

async function unattachedOf(cluster: ClusterReader) {
  const { unattached } = await gather(cluster);
  return unattached.map(({ users, ...each }) => ({ ...each, ...(users && { users: users.map(keyOf) }) }));
}

const elsewhere = { volume: "pv-1", elsewhere: ["n1"], users: ["default/old"] };

test("a volume that one node may have at a time waits for the other node, and its pods", async () => {
  expect(await unattachedOf(clusterOf(objects(["ReadWriteOnce"])))).toEqual([elsewhere]);
});

test("a volume that many nodes may have waits for none of them", async () => {
  expect(await unattachedOf(clusterOf(objects(["ReadWriteOnce", "ReadWriteMany"])))).toEqual([{ volume: "pv-1", elsewhere: [] }]);
});

test("that the driver needs attachments is known from one, where the driver may not be read", async () => {
  expect(await unattachedOf(clusterOf(objects(["ReadWriteOnce"]), [CSIDriver]))).toEqual([elsewhere]);
  expect(await unattachedOf(clusterOf({ ...objects(["ReadWriteOnce"]), VolumeAttachment: [] }, [CSIDriver]))).toEqual([]);
});

test("nothing is said of attachments that are not needed", async () => {
  expect(await unattachedOf(clusterOf({ ...objects(["ReadWriteOnce"], false), VolumeAttachment: [] }))).toEqual([]);
});

test("attachments that may not be read are not missing ones, and that is told where some are needed", async () => {
  const hidden = [VolumeAttachment];
  expect(await gather(clusterOf(objects(["ReadWriteOnce"]), hidden))).toMatchObject({ unattached: [], unreadAttachments: "forbidden" });
  expect(await gather(clusterOf(objects(["ReadWriteOnce"], false), hidden))).not.toHaveProperty("unreadAttachments");
  expect(await gather(clusterOf({ ...objects(["ReadWriteOnce"]), PersistentVolumeClaim: [] }, hidden))).not.toHaveProperty(
    "unreadAttachments",
  );
});
