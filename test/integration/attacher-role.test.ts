import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  type Client,
  CSINode,
  Event,
  isForbidden,
  jsonPatch,
  Lease,
  mergePatch,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  reviewAccess,
  Secret,
  StorageClass,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { userWith } from "../../packages/testcluster/conformance/testing/grant.ts";
import { clientOf } from "./testing/client-of.ts";
import { attachment, csiNode, volume } from "./testing/objects.ts";

const storage = ["storage.k8s.io"];
/** What external-attacher's deployment grants. */
const published = {
  cluster: [
    { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: storage, resources: ["csinodes"], verbs: ["get", "list", "watch"] },
    { apiGroups: storage, resources: ["volumeattachments"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: storage, resources: ["volumeattachments/status"], verbs: ["patch"] },
  ],
  namespaces: {
    default: [{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "watch", "list", "delete", "update", "create"] }],
  },
};

let cluster: Cluster;
let attacher: Client;
beforeAll(async () => {
  cluster = await startCluster();
  attacher = clientOf(cluster, (await userWith(cluster, published)).token);
  await cluster.admin.create(PersistentVolume, volume("pv"));
  await cluster.admin.create(VolumeAttachment, attachment("va"));
  await cluster.admin.create(CSINode, csiNode("node-1"));
});
afterAll(() => cluster[Symbol.asyncDispose]());

const here = { namespace: "default", name: "l" };
const calls: readonly [what: string, allowed: boolean, call: () => Promise<unknown>][] = [
  ["get a volume", true, () => attacher.get(PersistentVolume, { name: "pv" })],
  ["list volumes", true, () => attacher.list(PersistentVolume)],
  ["watch volumes", true, () => attacher.watch(PersistentVolume, { timeoutSeconds: 1 })],
  [
    "patch a volume",
    true,
    () =>
      attacher.patch(
        PersistentVolume,
        { name: "pv" },
        jsonPatch([{ op: "add", path: "/metadata/finalizers/-", value: "external-attacher/d" }]),
      ),
  ],
  ["update a volume", false, async () => attacher.update(PersistentVolume, await attacher.get(PersistentVolume, { name: "pv" }))],
  ["patch a volume's status", false, () => attacher.patch(PersistentVolume, { name: "pv" }, mergePatch({}), { subresource: "status" })],
  ["create a volume", false, () => attacher.create(PersistentVolume, volume("other"))],
  ["delete a volume", false, () => attacher.delete(PersistentVolume, { name: "pv" })],
  ["list attachments", true, () => attacher.list(VolumeAttachment)],
  [
    "patch an attachment",
    true,
    () => attacher.patch(VolumeAttachment, { name: "va" }, mergePatch({ metadata: { finalizers: ["external-attacher/d"] } })),
  ],
  [
    "patch an attachment's status",
    true,
    () => attacher.patch(VolumeAttachment, { name: "va" }, mergePatch({ status: { attached: true } }), { subresource: "status" }),
  ],
  [
    "update an attachment's status",
    false,
    async () => attacher.update(VolumeAttachment, await attacher.get(VolumeAttachment, { name: "va" }), { subresource: "status" }),
  ],
  ["create an attachment", false, () => attacher.create(VolumeAttachment, attachment("other"))],
  ["delete an attachment", false, () => attacher.delete(VolumeAttachment, { name: "va" })],
  ["list nodes of drivers", true, () => attacher.list(CSINode)],
  ["patch a node of drivers", false, () => attacher.patch(CSINode, { name: "node-1" }, mergePatch({}))],
  ["list nodes", false, () => attacher.list(Node)],
  ["list claims", false, () => attacher.list(PersistentVolumeClaim)],
  ["list classes", false, () => attacher.list(StorageClass)],
  ["get a secret", false, () => attacher.get(Secret, { namespace: "default", name: "s" })],
  ["create an event", false, () => attacher.create(Event, { metadata: { namespace: "default", name: "e" }, involvedObject: {} })],
  ["create a lease", true, () => attacher.create(Lease, { metadata: here })],
  ["update a lease", true, async () => attacher.update(Lease, await attacher.get(Lease, here))],
  ["patch a lease", false, () => attacher.patch(Lease, here, mergePatch({}))],
  ["delete a lease", true, () => attacher.delete(Lease, here)],
  ["create a lease elsewhere", false, () => attacher.create(Lease, { metadata: { namespace: "kube-system", name: "l" } })],
];

test.each([...calls])("with the published role: %s, allowed: %p", async (_what, allowed, call) => {
  const error = await call().then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  if (allowed) expect(error).toBeUndefined();
  else expect(isForbidden(error)).toBe(true);
});

test("access reviews agree", async () => {
  const asked = await Promise.all([
    reviewAccess(attacher, { verb: "patch", resource: VolumeAttachment, subresource: "status" }),
    reviewAccess(attacher, { verb: "update", resource: VolumeAttachment, subresource: "status" }),
    reviewAccess(attacher, { verb: "update", resource: Lease, namespace: "default" }),
    reviewAccess(attacher, { verb: "update", resource: Lease, namespace: "kube-system" }),
    reviewAccess(attacher, { verb: "get", resource: Secret, namespace: "default", name: "s" }),
  ]);
  expect(asked.map(({ allowed }) => allowed)).toEqual([true, false, true, false, false]);
});
