import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { Event, EventBroadcaster, involved, PersistentVolume, PersistentVolumeClaim, type V1Event } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { clientOf } from "./testing/client-of.ts";
import { claim, volume } from "./testing/objects.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster[Symbol.asyncDispose]());

/** Records with a client of its own; hands over everything before it ends. */
function recording(component: string) {
  const broadcaster = new EventBroadcaster({ client: clientOf(cluster, cluster.adminToken) });
  return { recorder: broadcaster.recorder(component), [Symbol.asyncDispose]: () => broadcaster.shutDown(10_000) };
}

async function eventsFrom(component: string): Promise<readonly V1Event[]> {
  const { items } = await cluster.admin.list(Event);
  return items.filter(({ source }) => source?.component === component);
}

test("an event is stored in its object's namespace", async () => {
  const object = await cluster.admin.create(PersistentVolumeClaim, claim("stored"));
  {
    await using events = recording("reporter");
    events.recorder.event(involved(PersistentVolumeClaim, object), "Normal", "Resizing", "External resizer is resizing volume");
  }
  const [event, ...others] = await eventsFrom("reporter");
  expect(others).toEqual([]);
  const { uid, resourceVersion } = object.metadata!;
  expect(event).toMatchObject({
    metadata: { namespace: "default" },
    involvedObject: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "default", name: "stored", uid, resourceVersion },
    type: "Normal",
    reason: "Resizing",
    message: "External resizer is resizing volume",
    count: 1,
    reportingComponent: "reporter",
  });
  expect(event?.metadata?.name).toMatch(/^stored\.[0-9a-f]+$/);
  expect(event?.firstTimestamp).toBe(event?.lastTimestamp);
});

test("an event about a cluster-scoped object goes to the namespace default", async () => {
  const object = await cluster.admin.create(PersistentVolume, volume("wide"));
  {
    await using events = recording("wide-teller");
    events.recorder.event(involved(PersistentVolume, object), "Warning", "VolumeFailedDelete", "no");
  }
  const [event] = await eventsFrom("wide-teller");
  expect([event?.metadata?.namespace, event?.involvedObject.namespace, event?.type]).toEqual(["default", undefined, "Warning"]);
});

test("a repeated event increments its count", async () => {
  const object = await cluster.admin.create(PersistentVolumeClaim, claim("again"));
  {
    await using events = recording("counter");
    for (let i = 0; i < 3; i++) events.recorder.event(involved(PersistentVolumeClaim, object), "Warning", "VolumeResizeFailed", "busy");
  }
  const stored = await eventsFrom("counter");
  expect(stored.map(({ count, message }) => [count, message])).toEqual([[3, "busy"]]);
  const writes = await cluster.requests({ resource: "events", name: stored[0]?.metadata?.name });
  expect(writes.map(({ verb }) => verb).filter((verb) => verb !== "create")).toEqual(["patch", "patch"]);
});

test("from the tenth different message on, events about one object are combined", async () => {
  const object = await cluster.admin.create(PersistentVolumeClaim, claim("many"));
  {
    await using events = recording("crowd");
    for (let i = 1; i <= 12; i++) events.recorder.event(involved(PersistentVolumeClaim, object), "Warning", "Failed", `attempt ${i}`);
  }
  const stored = (await eventsFrom("crowd")).map(({ count, message }) => `${count} ${message}`).sort();
  expect(stored).toEqual(
    [...Array.from({ length: 9 }, (_, i) => `1 attempt ${i + 1}`), "3 (combined from similar events): attempt 12"].sort(),
  );
});

test("an event that was deleted is created again, with its count", async () => {
  const object = await cluster.admin.create(PersistentVolumeClaim, claim("gone"));
  const broadcaster = new EventBroadcaster({ client: clientOf(cluster, cluster.adminToken) });
  const recorder = broadcaster.recorder("persistent");
  const emit = () => recorder.event(involved(PersistentVolumeClaim, object), "Normal", "Waiting", "still");
  emit();
  await until("the first event", async () => (await eventsFrom("persistent")).length > 0);
  const [first] = await eventsFrom("persistent");
  await cluster.admin.delete(Event, { namespace: "default", name: first?.metadata?.name ?? "" });
  emit();
  await broadcaster.shutDown(10_000);
  expect((await eventsFrom("persistent")).map(({ count }) => count)).toEqual([2]);
});
