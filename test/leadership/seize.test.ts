import { describe, expect, test } from "bun:test";
import { Lease } from "@csi-sidecars/kube";
import {
  attacherLease,
  consolidatedLease,
  holderOf,
  leaseNamed,
  legacySidecar,
  namespace,
  quickElection,
} from "../e2e/testing/election.ts";
import { addAndAttach, addNode } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import { startE2eWorld, type World } from "../e2e/testing/world.ts";
import { startApiGateway, type Verdict } from "./testing/api-gateway.ts";
import { deadLease, markerOf, migrated, status } from "./testing/legacy-leases.ts";

const provisionerLease = "driver-example-com";

async function startWorld() {
  const world = await startE2eWorld();
  await addNode(world.cluster, "node", world.driver.settings.name);
  const gateway = startApiGateway(world.cluster, world.folder);
  return {
    ...world,
    gateway,
    csiSidecars: (name: string, ...flags: string[]) =>
      world.start(name, ["--controllers=attacher,provisioner", `--kubeconfig=${gateway.kubeconfig}`, ...quickElection, ...flags]),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** The free lease is seized while the other one is watched for longer than any test lasts. */
async function oneFreeOneWatched({ cluster }: World): Promise<void> {
  await deadLease(cluster, provisionerLease, "");
  await deadLease(cluster, attacherLease, "old-pod", 600);
}

const seizedBy = (pod: string) => new RegExp(`^${pod}_csi-sidecars_${consolidatedLease}_[0-9a-z]+$`);

describe("SIGTERM while legacy leases are seized", () => {
  const later: Verdict = { status: 429, retryAfterSeconds: 40 };
  test.each<[string, string, string, Verdict]>([
    ["the read of one is to be tried again in 40 s", "GET", attacherLease, later],
    ["the write of one is to be tried again in 40 s", "PUT", provisionerLease, later],
    ["the read of one is not answered", "GET", attacherLease, "hang"],
    ["the write of one is not answered", "PUT", provisionerLease, "hang"],
    ["the read of our own is to be tried again in 40 s", "GET", consolidatedLease, later],
  ])("%s: the process ends, and nothing is held", async (_, method, name, verdict) => {
    await using world = await startWorld();
    const { cluster, gateway } = world;
    await oneFreeOneWatched(world);
    gateway.decide((request) => (request.method === method && request.path.endsWith(`/${name}`) ? verdict : "pass"));
    const sidecar = world.csiSidecars("new-pod");
    await until("a request is stopped", () => gateway.stopped.includes(`${method} ${name}`));
    expect(await sidecar.end()).toBe(0);
    expect((await holderOf(cluster, consolidatedLease)) ?? "").toBe("");
    expect(await holderOf(cluster, provisionerLease)).toBe("");
    expect(await holderOf(cluster, attacherLease)).toBe("old-pod");
    expect(await markerOf(cluster)).toEqual({});
  });

  test("the server wants neither to release a seized lease nor the new one: the process ends, and they expire", async () => {
    await using world = await startWorld();
    const { cluster, gateway } = world;
    await oneFreeOneWatched(world);
    const sidecar = world.csiSidecars("new-pod");
    await until("one is seized", async () => seizedBy("new-pod").test((await holderOf(cluster, provisionerLease)) ?? ""));
    gateway.decide(({ method }) => (method === "PUT" ? later : "pass"));
    expect(await sidecar.end()).toBe(0);
    expect(sidecar.output).toContain("Failed to release the legacy lease, it expires by itself");
    expect(await markerOf(cluster)).toEqual({});
  });
});

describe("legacy leases that are seized already", () => {
  test("by a predecessor of the same election that was killed: taken over at once", async () => {
    await using world = await startWorld();
    const { cluster } = world;
    await oneFreeOneWatched(world);
    const first = world.csiSidecars("first-pod");
    await until("one is seized", async () => seizedBy("first-pod").test((await holderOf(cluster, provisionerLease)) ?? ""));
    await first.end("SIGKILL");
    await cluster.admin.delete(Lease, { namespace, name: attacherLease });
    const second = world.csiSidecars("second-pod");
    // Less than the minute for which the predecessor wrote it down.
    await addAndAttach(world, "data", "node", 25_000);
    expect((await leaseNamed(cluster, provisionerLease))?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 6 });
    expect(await markerOf(cluster)).toEqual({ [status]: "completed", [migrated]: "attacher,provisioner" });
    expect(await second.end()).toBe(0);
  });

  test.each([
    ["of another election", `other-pod_csi-sidecars_csi-sidecars-other-driver_4fzyo`],
    ["whose election has a name that ends in ours", `other-pod_csi-sidecars_other-${consolidatedLease}_4fzyo`],
    ["whose name is that of our election", consolidatedLease],
  ])("by a living process %s: not taken, and named", async (_, identity) => {
    await using world = await startWorld();
    using _living = await legacySidecar(world.cluster, attacherLease, identity);
    const sidecar = world.csiSidecars("new-pod", "--leader-election-migration=exit");
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain(`is held by \\"${identity}\\" and still being renewed`);
    expect(await holderOf(world.cluster, attacherLease)).toBe(identity);
    expect(await markerOf(world.cluster)).toEqual({});
  });
});
