import { expect, test } from "bun:test";
import { consolidatedLease, createFreeLease, leaseNamed, quickElection } from "../e2e/testing/election.ts";
import { addAndAttach, addNode } from "../e2e/testing/objects.ts";
import { startE2eWorld, type World } from "../e2e/testing/world.ts";

/** Nobody waits until such a lease expires in the time of a test. */
const longElection = [
  "--leader-election",
  "--leader-election-lease-duration=10m",
  "--leader-election-renew-deadline=5m",
  "--leader-election-retry-period=500ms",
] as const;

async function startWorld(): Promise<World> {
  const world = await startE2eWorld();
  await addNode(world.cluster, "node", world.driver.settings.name);
  await createFreeLease(world.cluster, consolidatedLease);
  return world;
}

/** Two pods on the network of one host, without POD_NAME. */
function startOnNode(world: World, kubeconfig: string, election: readonly string[]) {
  return world.start("node-1", ["--controllers=attacher", `--kubeconfig=${kubeconfig}`, "--timeout=5s", "--v=4", ...election]);
}

test("of two processes with one identity one acts; the other waits, says how to tell them apart, and takes over when the first is gone", async () => {
  await using world = await startWorld();
  const kubeconfig = await world.kubeconfig("attacher");
  const first = startOnNode(world, kubeconfig, quickElection);
  await addAndAttach(world, "a", "node");
  const second = startOnNode(world, kubeconfig, quickElection);
  await second.logged("give each pod the environment variable POD_NAME");
  await addAndAttach(world, "b", "node");
  expect(second.output).not.toContain("Successfully acquired lease");
  expect(first.output).not.toContain("Lost leadership");
  await first.end("SIGKILL");
  await addAndAttach(world, "c", "node");
  expect(second.output).toContain("Successfully acquired lease");
  expect((await leaseNamed(world.cluster, consolidatedLease))?.spec?.leaseTransitions).toBe(2);
});

test("a process that was killed and started again takes its own lease at once", async () => {
  await using world = await startWorld();
  const kubeconfig = await world.kubeconfig("attacher");
  for (const volume of ["a", "b", "c"]) {
    const sidecar = startOnNode(world, kubeconfig, longElection);
    await addAndAttach(world, volume, "node");
    await sidecar.end("SIGKILL");
  }
  expect((await leaseNamed(world.cluster, consolidatedLease))?.spec).toMatchObject({ holderIdentity: "node-1", leaseTransitions: 3 });
});
