import { expect, test } from "bun:test";
import { Event, PersistentVolumeClaim, Secret, StorageClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { consolidatedLease, leaseNamed } from "../e2e/testing/election.ts";
import { addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import type { Replica } from "./testing/replica.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

/** Calls may take longer than any test: none ends by its own time limit. */
const patient = "--timeout=5m";

/** An attachment whose call is in flight, and hangs until its caller gives it up. */
async function callInFlight(world: Replicas, volume: string): Promise<void> {
  world.driver.always("ControllerPublishVolume", step.hang);
  await addVolume(world, volume);
  await attach(world.cluster, volume, "node", world.driver.settings.name);
  await world.driver.called("ControllerPublishVolume");
  world.driver.always("ControllerPublishVolume", step.act);
}

/** Waits until a replica that has lost the lease, and goes on, has seen who holds it. */
const candidateAgain = ({ process }: Replica) =>
  until("a candidate again", () => process.running && process.output.split("New leader detected").length > 2);

/** Waits for so many renewals of the lease: six are longer than it lasts. */
async function renewals({ cluster }: Replicas, count: number): Promise<void> {
  const seen = new Set<string | undefined>();
  await until(`${count} renewals`, async () => seen.add((await leaseNamed(cluster, consolidatedLease))?.spec?.renewTime).size > count);
}

const canceledAt = (world: Replicas, replica: Replica) => world.callsBy(replica)[0]?.clientGoneAt;

const partitions: readonly (readonly [string, (leader: Replica) => unknown, (leader: Replica) => unknown])[] = [
  ["packets vanish", ({ api }) => api.freeze(), ({ api }) => api.thaw()],
  ["connections are refused", ({ api }) => api.close(), ({ api }) => api.open()],
];

for (const policy of ["restart", "exit"]) {
  test.each(partitions)(`--loss-policy=${policy}: a call in flight is canceled before another replica acts, %s`, async (_, part, heal) => {
    await using world = await startReplicas({ flags: [patient, `--loss-policy=${policy}`] });
    const { leader, standby } = await world.elected();
    await callInFlight(world, "v1");
    const writes = await world.writesBy(leader);
    await part(leader);
    await attached(world.cluster, "v1");
    const gone = canceledAt(world, leader);
    expect(gone).toBeLessThan(world.callsBy(standby)[0]?.startedAt ?? 0);
    expect(world.driver.overlaps()).toEqual([]);
    if (policy === "exit") expect(await leader.process.exit()).toBe(1);
    await heal(leader);
    if (policy === "restart") await candidateAgain(leader);
    expect(await world.writesBy(leader)).toBe(writes);
    expect(world.callsBy(leader)).toHaveLength(1);
    expect((await attached(world.cluster, "v1")).status?.attachError).toBeUndefined();
  });
}

test("a leader that was suspended cancels its call as soon as it goes on, and writes nothing of it", async () => {
  await using world = await startReplicas({ flags: [patient] });
  const { leader } = await world.elected();
  await callInFlight(world, "v1");
  const writes = await world.writesBy(leader);
  leader.suspend();
  await attached(world.cluster, "v1");
  leader.resume();
  await until("canceled", () => canceledAt(world, leader) !== undefined);
  await candidateAgain(leader);
  expect(await world.writesBy(leader)).toBe(writes);
  expect(world.callsBy(leader)).toHaveLength(1);
});

test("requests that get no answer do not keep a leader that has lost the lease from running for it again", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  const secret = { namespace: "default", name: "login" };
  await world.cluster.admin.create(Secret, { metadata: secret, stringData: { user: "me" } });
  world.driver.always("ControllerPublishVolume", step.fail("Internal"));
  await addVolume(world, "v1", { controllerPublishSecretRef: secret });
  await attach(world.cluster, "v1", "node", world.driver.settings.name);
  // Each attempt reads the secret, and writes the error.
  await world.driver.called("ControllerPublishVolume", 3);
  leader.api.freeze();
  expect(await world.leader(leader)).toBe(standby);
  await renewals(world, 8);
  leader.api.thaw();
  await candidateAgain(leader);
});

test("a lease that is lost while a call is finished after SIGTERM cancels the call", async () => {
  await using world = await startReplicas({ flags: [patient, "--shutdown-timeout=5m"] });
  const { leader, standby } = await world.elected();
  await callInFlight(world, "v1");
  leader.process.signal("SIGTERM");
  await leader.process.logged("shutting down");
  leader.api.freeze();
  await attached(world.cluster, "v1");
  expect(canceledAt(world, leader)).toBeLessThan(world.callsBy(standby)[0]?.startedAt ?? 0);
  await leader.process.exit();
});

test("SIGTERM alone cancels nothing: the call is finished and its result written before another replica leads", async () => {
  await using world = await startReplicas({ flags: [patient] });
  const { leader, standby } = await world.elected();
  world.driver.always("ControllerPublishVolume", step.waitFor("answer"));
  await addVolume(world, "v1");
  await attach(world.cluster, "v1", "node", world.driver.settings.name);
  await world.driver.called("ControllerPublishVolume");
  leader.process.signal("SIGTERM");
  await leader.process.logged("shutting down");
  await renewals(world, 8);
  expect([canceledAt(world, leader), await world.leader()]).toEqual([undefined, leader]);
  world.driver.release("answer");
  await attached(world.cluster, "v1");
  expect(await leader.process.exit()).toBe(0);
  expect(await world.leader(leader)).toBe(standby);
  expect(world.callsBy(standby)).toEqual([]);
});

test("a leader that creates a volume says nothing about a call that was canceled", async () => {
  await using world = await startReplicas({
    controllers: "provisioner",
    flags: [patient],
    cluster: { storageControllers: true, nodes: false },
  });
  const { cluster, driver } = world;
  const { leader, standby } = await world.elected();
  driver.always("CreateVolume", step.hang);
  await cluster.admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver.settings.name });
  await cluster.admin.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: "data" },
    spec: { storageClassName: "fast", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await driver.called("CreateVolume");
  driver.always("CreateVolume", step.act);
  leader.api.freeze();
  const bound = async () =>
    (await cluster.admin.get(PersistentVolumeClaim, { namespace: "default", name: "data" })).status?.phase === "Bound";
  await until("a volume by the next leader", bound);
  expect(canceledAt(world, leader)).toBeLessThan(world.callsBy(standby)[0]?.startedAt ?? 0);
  leader.api.thaw();
  await candidateAgain(leader);
  const { items } = await cluster.admin.list(Event, { namespace: "default" });
  expect(items.filter(({ reason }) => reason === "ProvisioningFailed")).toEqual([]);
  expect(driver.volumes.size).toBe(1);
});
