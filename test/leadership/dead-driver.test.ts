import { describe, expect, test } from "bun:test";
import { Lease, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { consolidatedLease, holderOf, leaseNamed } from "../e2e/testing/election.ts";
import { addAndAttach, addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import type { Replica } from "./testing/replica.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

const flags = ["--driver-loss-grace-period=2s"];

/** How the driver of one replica dies, and comes back. */
const deaths: readonly (readonly [string, (replica: Replica) => void | Promise<void>, (replica: Replica) => void | Promise<void>])[] = [
  ["is gone", ({ driver }) => driver.close(), ({ driver }) => driver.open()],
  [
    "hangs after a restart",
    ({ driver }) => {
      driver.freeze();
      driver.cut();
    },
    ({ driver }) => driver.thaw(),
  ],
];

const readiness = async ({ process }: Replica) => (await process.get("/readyz"))[0];
const notReady = (replica: Replica) => until(`${replica.name} to be not ready`, async () => (await readiness(replica)) === 500);
const ready = (replica: Replica) => until(`${replica.name} to be ready`, async () => (await readiness(replica)) === 200);

async function addAttachment(world: Replicas, volume: string): Promise<void> {
  await addVolume(world, volume);
  await attach(world.cluster, volume, "node", world.driver.settings.name);
}

describe.each(deaths)("a leader whose driver %s", (_, dies, returns) => {
  test("hands over to the replica whose driver answers, with its work, and competes again when the driver is back", async () => {
    await using world = await startReplicas({ flags });
    const { leader, standby } = await world.elected();
    await addAndAttach(world, "before", "node");
    world.driver.script("ControllerPublishVolume", step.hang);
    await addAttachment(world, "during");
    await world.driver.called("ControllerPublishVolume", 2);
    await dies(leader);
    await addAttachment(world, "meanwhile");
    for (const volume of ["during", "meanwhile"]) await attached(world.cluster, volume);
    expect(await world.leader()).toBe(standby);
    expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([2, 2]);
    expect(world.driver.overlaps()).toEqual([]);
    await leader.process.logged("The CSI driver is gone, this replica does not lead until it answers again");
    await notReady(leader);
    expect((await leader.process.get("/readyz"))[1]).toMatch(
      /\[-\]driver failed: .* has been away for \d+ s\n\[\+\]attacher ok \(waiting: /,
    );

    await returns(leader);
    await ready(leader);
    expect(await world.leader()).toBe(standby);
    expect(await standby.process.end("SIGTERM")).toBe(0);
    await addAndAttach(world, "after", "node");
    expect(world.callsBy(leader).at(-1)?.request).toMatchObject({ volumeId: "id-after" });
    expect(leader.process.running).toBe(true);
  });
});

test("a standby whose driver is gone leaves a free lease to the one whose driver answers", async () => {
  await using world = await startReplicas({ names: ["replica-a", "replica-b", "replica-c"], flags });
  const leader = await world.leader();
  const [sick, healthy] = world.replicas.filter((replica) => replica !== leader) as [Replica, Replica];
  for (const standby of [sick, healthy]) await standby.process.logged("New leader detected");
  await sick.driver.close();
  await notReady(sick);
  const attempts = () => world.cluster.requests({ user: sick.user, resource: "leases" });
  await sick.process.logged("The CSI driver is gone");
  const before = (await attempts()).length;
  expect(await leader.process.end("SIGTERM")).toBe(0);
  await addAndAttach(world, "v1", "node");
  expect([await world.leader(), (await attempts()).length]).toEqual([healthy, before]);
  await healthy.process.end("SIGKILL");
  await until("the lease of the killed one to expire", async () => expired(world));
  expect((await attempts()).length).toBe(before);
  await sick.driver.open();
  await addAndAttach(world, "v2", "node");
  expect(await world.leader()).toBe(sick);
});

test("a single replica leads again when its driver is back, and does what was asked for meanwhile", async () => {
  await using world = await startReplicas({ names: ["only"], controllers: "attacher,provisioner", flags });
  const { cluster, driver } = world;
  const only = await world.leader();
  await addAndAttach(world, "before", "node");
  await only.driver.close();
  await until("the release", async () => (await holderOf(cluster, consolidatedLease)) === "");
  await notReady(only);
  await addAttachment(world, "meanwhile");
  const provisioner = driver.settings.name;
  await cluster.admin.create(StorageClass, { metadata: { name: "quick" }, provisioner, volumeBindingMode: "Immediate" });
  const claim = await cluster.admin.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: "meanwhile", annotations: { "volume.kubernetes.io/storage-provisioner": provisioner } },
    spec: { storageClassName: "quick", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await only.driver.open();
  await attached(cluster, "meanwhile");
  const name = `pvc-${claim.metadata?.uid}`;
  await until("the volume", async () => (await cluster.admin.list(PersistentVolume)).items.some(({ metadata }) => metadata?.name === name));
  await ready(only);
  expect(await world.leader()).toBe(only);
  expect(driver.calls("CreateVolume")).toHaveLength(1);
  expect((await only.process.get("/metrics"))[1]).toContain('csi_sidecars_controller_restarts_total{controller="attacher"} 0');
});

test("a driver that restarts again and again costs nobody the lease", async () => {
  await using world = await startReplicas({ flags: ["--driver-loss-grace-period=10s"] });
  const { leader } = await world.elected();
  await addAndAttach(world, "v0", "node");
  const { acquireTime, leaseTransitions } = (await leaseNamed(world.cluster, consolidatedLease))?.spec ?? {};
  for (let round = 1; round <= 8; round++) {
    await leader.driver.close();
    await until("the loss", async () => (await leader.process.get("/readyz?verbose"))[1].includes("(running; the CSI driver is away)"));
    await leader.driver.open();
    await addAndAttach(world, `v${round}`, "node");
  }
  expect((await leaseNamed(world.cluster, consolidatedLease))?.spec).toMatchObject({ acquireTime, leaseTransitions });
  expect(leader.process.output).not.toContain("The CSI driver is gone");
});

async function expired({ cluster }: Replicas): Promise<boolean> {
  const { spec } = await cluster.admin.get(Lease, { namespace: "default", name: consolidatedLease });
  return Date.parse(spec?.renewTime ?? "") + 1_000 * (spec?.leaseDurationSeconds ?? 0) < Date.now();
}
