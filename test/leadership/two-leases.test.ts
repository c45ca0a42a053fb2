import { expect, test } from "bun:test";
import { populatorDefinitions } from "@csi-sidecars/crds";
import { Event, Lease, mergePatch, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { claimOf, unknown } from "../../components/volume-data-source-validator/testing/objects.ts";
import { consolidatedLease, holderOf, namespace } from "../e2e/testing/election.ts";
import { addAndAttach } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import type { Replica } from "./testing/replica.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

const validatorLease = "data-source-validator-leader";

/** Replicas with a controller of the driver, and one that belongs to none and has a lease of its own. */
async function startWorld(names: readonly string[], flags: readonly string[] = []): Promise<Replicas> {
  const controllers = "attacher,volume-data-source-validator";
  const world = await startReplicas({ names, controllers, flags: ["--volume-data-source-validator-warning-delay=0", ...flags] });
  await installDefinitions(world.cluster.admin, populatorDefinitions);
  return world;
}

/** Waits until the validator's lease names a running replica. */
const validates = ({ cluster, replicas }: Replicas) =>
  until("a validator", async () => {
    const holder = await holderOf(cluster, validatorLease);
    return replicas.find(({ name, running }) => running && name === holder);
  });
const holders = async ({ cluster }: Replicas) =>
  Promise.all([consolidatedLease, validatorLease].map(async (lease) => (await holderOf(cluster, lease)) ?? ""));

/** Creates a claim of a kind that nobody serves, and waits until there is a warning about it. Returns how often it was warned about. */
async function warned({ cluster }: Replicas, claim: string): Promise<number> {
  await cluster.admin.create(PersistentVolumeClaim, claimOf(claim, unknown));
  const counts = await until(`a warning about ${claim}`, async () => {
    const { items } = await cluster.admin.list(Event, { namespace, fieldSelector: `involvedObject.name=${claim}` });
    return items.length > 0 && items.map(({ count = 0 }) => count);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many verdicts a replica has given. */
async function verdictsOf({ process }: Replica): Promise<number> {
  const [, metrics] = await process.get("/metrics");
  return Number(/^volume_data_source_validator_operation_count\{result="invalid"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

test("of two replicas with two leases one acts under each; the one that is left takes over both, and releases both when it ends", async () => {
  await using world = await startWorld(["replica-a", "replica-b"]);
  const victim = await validates(world);
  const heir = world.replicas.find((replica) => replica !== victim)!;
  await world.leader();
  await addAndAttach(world, "one", "node");
  expect([await warned(world, "first"), await warned(world, "second")]).toEqual([1, 1]);
  expect([await verdictsOf(victim), await verdictsOf(heir)]).toEqual([2, 0]);
  await victim.process.end("SIGKILL");
  expect(await warned(world, "third")).toBe(1);
  await addAndAttach(world, "two", "node");
  expect(await holders(world)).toEqual([heir.name, heir.name]);
  expect(await heir.process.end("SIGTERM")).toBe(0);
  expect(await holders(world)).toEqual(["", ""]);
});

test("a replica whose driver is gone gives up the lease of the driver, and goes on under its other one", async () => {
  await using world = await startWorld(["replica-a"], ["--driver-loss-grace-period=1s"]);
  const replica = await validates(world);
  await world.leader();
  await replica.driver.close();
  await until("a free lease", async () => (await holders(world))[0] === "");
  expect(await warned(world, "data")).toBe(1);
  expect(await holders(world)).toEqual(["", replica.name]);
  await replica.driver.open();
  await addAndAttach(world, "one", "node");
  expect([replica.running, await verdictsOf(replica)]).toEqual([true, 1]);
});

test.each(["exit", "restart"])("a replica that loses the one lease goes on under the other: --loss-policy=%s", async (policy) => {
  await using world = await startWorld(["replica-a"], [`--loss-policy=${policy}`]);
  const replica = await validates(world);
  await world.leader();
  await warned(world, "before");
  const hold = (holderIdentity: string) =>
    world.cluster.admin.patch(
      Lease,
      { namespace, name: validatorLease },
      mergePatch({ spec: { holderIdentity, leaseDurationSeconds: 3_600 } }),
    );
  await hold("thief");
  await replica.process.logged("Lost leadership");
  await addAndAttach(world, "one", "node");
  expect((await replica.process.get("/readyz?verbose"))[1]).toMatch(
    /\[\+\]attacher ok \(running\)\n\[\+\]volume-data-source-validator ok \(waiting: another replica leads: /,
  );
  await hold("");
  expect(await warned(world, "after")).toBe(1);
  expect([replica.running, await holders(world)]).toEqual([true, [replica.name, replica.name]]);
});
