import { describe, expect, test } from "bun:test";
import { attacherLease, consolidatedLease, holderOf, leaseNamed, legacySidecar, quickElection } from "../e2e/testing/election.ts";
import { addAndAttach, addNode, addVolume, attach } from "../e2e/testing/objects.ts";
import { type Account, rolesFor, startE2eWorld, type World } from "../e2e/testing/world.ts";
import { deadLease, markerOf, migrated, migratedLease, status } from "./testing/legacy-leases.ts";

/** A migrated cluster with a node to attach to, and csi-sidecars as a user whose requests can be told from others'. */
async function startMigrated(roles = rolesFor("attacher")) {
  const world = await startE2eWorld();
  await addNode(world.cluster, "node", world.driver.settings.name);
  await migratedLease(world.cluster, "attacher");
  const user = await world.account(roles);
  const start = (mode: "exit" | "wait" = "exit") =>
    world.start("new-pod", [
      "--controllers=attacher",
      `--kubeconfig=${user.kubeconfig}`,
      `--leader-election-migration=${mode}`,
      "--http-endpoint=127.0.0.1:0",
      ...quickElection,
    ]);
  return { ...world, user, csiSidecars: start };
}

/** The requests of our user that are work, and the calls to the driver that have effects. */
async function work({ cluster, driver, user }: World & { readonly user: Account }): Promise<readonly string[]> {
  const requests = await cluster.requests({ user: user.name, resource: "volumeattachments" });
  return [...requests.map(({ verb }) => verb), ...driver.calls("ControllerPublishVolume").map(({ method }) => method)];
}

const held = `is held by \\"old-pod\\" and still being renewed: scale down the deployment running the legacy csi-attacher, then`;

describe("after a roll-back to a legacy attacher, with the marker of the migration still there", () => {
  test("no start of csi-sidecars does any work, and the marker is withdrawn", async () => {
    await using world = await startMigrated();
    using _ = await legacySidecar(world.cluster, attacherLease);
    await addVolume(world, "data");
    await attach(world.cluster, "data", "node", world.driver.settings.name);
    for (let starts = 0; starts < 2; starts++) {
      const sidecar = world.csiSidecars();
      expect(await sidecar.exit()).toBe(1);
      expect(sidecar.output).toContain(`${held} restart`);
      expect(await work(world)).toEqual([]);
    }
    expect(await markerOf(world.cluster)).toEqual({ [status]: "withdrawn", [migrated]: "" });
    expect(await holderOf(world.cluster, attacherLease)).toBe("old-pod");
  });

  test("mode wait: work begins when the legacy attacher has gone, and the marker is back", async () => {
    await using world = await startMigrated();
    const legacy = await legacySidecar(world.cluster, attacherLease);
    const sidecar = world.csiSidecars("wait");
    await sidecar.logged(`${held} this process continues by itself`);
    // What a rolling update waits for before it removes the pod of the legacy attacher.
    expect((await sidecar.get("/readyz"))[0]).toBe(200);
    expect(await work(world)).toEqual([]);
    expect(await markerOf(world.cluster)).toEqual({ [status]: "withdrawn", [migrated]: "" });
    legacy[Symbol.dispose]();
    await addAndAttach(world, "data", "node");
    expect(await markerOf(world.cluster)).toEqual({ [status]: "completed", [migrated]: "attacher" });
    expect(await sidecar.end()).toBe(0);
  });

  test("the legacy attacher has died: its lease is waited for, taken and released before work begins", async () => {
    await using world = await startMigrated();
    await deadLease(world.cluster, attacherLease, "old-pod");
    const sidecar = world.csiSidecars();
    await addAndAttach(world, "data", "node");
    expect((await leaseNamed(world.cluster, attacherLease))?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 5 });
    expect(await sidecar.end()).toBe(0);
  });
});

test("a legacy attacher that comes back while csi-sidecars leads ends its work, and the marker is withdrawn", async () => {
  await using world = await startMigrated();
  const sidecar = world.csiSidecars();
  await addAndAttach(world, "data", "node");
  using _ = await legacySidecar(world.cluster, attacherLease);
  expect(await sidecar.exit()).toBe(1);
  expect(sidecar.output).toContain(`${held} restart`);
  expect(await markerOf(world.cluster)).toEqual({ [status]: "withdrawn", [migrated]: "" });
});

test("a role that forbids to read the legacy lease: work begins, and the log says once what to allow", async () => {
  await using world = await startMigrated((user) => onlyOwnLease(rolesFor("attacher")(user)));
  const sidecar = world.csiSidecars();
  await addAndAttach(world, "data", "node");
  await sidecar.logged("cannot be read");
  expect(await sidecar.end()).toBe(0);
  const lines = sidecar.output.split("\n").filter((line) => line.includes("cannot be read"));
  expect(lines).toEqual([expect.stringContaining(`allow get of leases`)]);
  expect(lines[0]).toContain(attacherLease);
});

/** The roles, with all that concerns leases restricted to the consolidated one. */
function onlyOwnLease(roles: string): string {
  return roles.replace('resources: ["leases"]', `$&\n    resourceNames: ["${consolidatedLease}"]`);
}
