import { expect, test } from "bun:test";
import { join } from "node:path";
import { rbacCommand } from "@csi-sidecars/diagnose/rbac";
import { Event, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { consolidatedLease, createFreeLease, holderOf, namespace, quickElection } from "../e2e/testing/election.ts";
import { until } from "../e2e/testing/until.ts";
import { startE2eWorld, type World } from "../e2e/testing/world.ts";
import { RunningProgram } from "../running-program.ts";
import { twoLeases } from "./testing/two-leases.ts";

const main = join(import.meta.dirname, "testing/two-leases-main.ts");
const leases = [consolidatedLease, "of-none-leader"] as const;

async function startWorld(): Promise<World> {
  const world = await startE2eWorld({ driver: { capabilities: "minimal" } });
  for (const lease of leases) await createFreeLease(world.cluster, lease);
  return world;
}

/** Starts a replica with exactly the roles that `rbac` prints for it. */
async function startReplica(world: World, name: string): Promise<RunningProgram> {
  const account = await world.account((user) => rbacCommand([`--name-prefix=${user}`], twoLeases).stdout);
  const flags = [`--kubeconfig=${account.kubeconfig}`, `--csi-address=${world.driver.address}`, ...quickElection];
  return new RunningProgram(process.execPath, [main, ...flags], { env: { POD_NAME: name, POD_NAMESPACE: namespace } });
}

const holders = ({ cluster }: World) => Promise.all(leases.map((lease) => holderOf(cluster, lease)));
const leads = (world: World, name: string) =>
  until(`${name} to hold both leases`, async () => (await holders(world)).every((holder) => holder === name));

/** Creates a claim and waits until both components have greeted it. Returns who did, in which pod. */
async function greeted(world: World, name: string): Promise<readonly string[]> {
  await world.cluster.admin.create(PersistentVolumeClaim, {
    metadata: { namespace, name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  return until(`greetings of ${name}`, async () => {
    const all = await greetings(world, name);
    return all.length > 1 && all;
  });
}

async function greetings({ cluster }: World, claim: string): Promise<readonly string[]> {
  const { items } = await cluster.admin.list(Event, { namespace, fieldSelector: `involvedObject.name=${claim}` });
  return items.map(({ source, message, count }) => `${source?.component} in ${message} ${count}x`).sort();
}

const both = (pod: string) => [`of-driver in ${pod} 1x`, `of-none in ${pod} 1x`];

test("of two replicas that hold two leases one acts under both; when it is killed the other takes both over, and releases them when it ends", async () => {
  await using world = await startWorld();
  await using first = await startReplica(world, "replica-a");
  await leads(world, "replica-a");
  await using second = await startReplica(world, "replica-b");
  await until("replica-b to wait for both", () => second.output.split("New leader detected").length > 2);
  expect(await greeted(world, "one")).toEqual(both("replica-a"));
  expect(await greeted(world, "two")).toEqual(both("replica-a"));
  expect(await greetings(world, "one")).toEqual(both("replica-a"));
  await first.end("SIGKILL");
  expect(await greeted(world, "three")).toEqual(both("replica-b"));
  expect(await holders(world)).toEqual(["replica-b", "replica-b"]);
  expect(await second.end("SIGTERM")).toBe(0);
  expect((await holders(world)).map((holder) => holder ?? "")).toEqual(["", ""]);
});
