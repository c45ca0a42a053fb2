import { describe, expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { consolidatedLease, holderOf } from "../e2e/testing/election.ts";
import { addAndAttach, addNode } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import { startE2eWorld } from "../e2e/testing/world.ts";
import { type PassingRequest, startApiGateway, type Verdict } from "./testing/api-gateway.ts";
import { migratedLease } from "./testing/legacy-leases.ts";

/** Lease times of clusters that are to survive long outages of the API server: nothing at the end of a process may take as long. */
const patientElection = [
  "--leader-election",
  "--leader-election-lease-duration=137s",
  "--leader-election-renew-deadline=107s",
  "--leader-election-retry-period=26s",
];

async function startWorld() {
  const world = await startE2eWorld();
  await migratedLease(world.cluster, "attacher,provisioner");
  const gateway = startApiGateway(world.cluster, world.folder);
  return {
    ...world,
    gateway,
    csiSidecars: (...flags: string[]) =>
      world.start("pod", ["--controllers=attacher,provisioner", `--kubeconfig=${gateway.kubeconfig}`, ...patientElection, ...flags]),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

const later: Verdict = { status: 429, retryAfterSeconds: 300 };

describe("SIGTERM ends a process that waits for the API server", () => {
  const all = () => true;
  const discovery = ({ path }: PassingRequest) => /^\/apis?(\/[^/]+)?(\/v[^/]+)?$/.test(path);
  const lists = ({ path }: PassingRequest) => /\/(volumeattachments|persistentvolumes|csinodes|storageclasses)$/.test(path);
  const leaseReads = ({ method, path }: PassingRequest) => method === "GET" && path.includes("/leases/");
  const leaseWrites = ({ method, path }: PassingRequest) => method !== "GET" && path.includes("/leases");

  test.each<[string, (request: PassingRequest) => boolean, Verdict]>([
    ["every request is to be tried again in 300 s", all, later],
    ["no request is answered", all, "hang"],
    ["discovery is to be tried again in 300 s", discovery, later],
    ["discovery is not answered", discovery, "hang"],
    ["lists of caches are to be tried again in 300 s", lists, later],
    ["lists of caches are not answered", lists, "hang"],
    ["reads of leases are to be tried again in 300 s", leaseReads, later],
    ["reads of leases are not answered", leaseReads, "hang"],
    ["writes of leases are to be tried again in 300 s", leaseWrites, later],
    ["writes of leases are not answered", leaseWrites, "hang"],
  ])("%s", async (_, matches, verdict) => {
    await using world = await startWorld();
    world.gateway.decide((request) => (matches(request) ? verdict : "pass"));
    const sidecar = world.csiSidecars();
    await until("a request is stopped", () => world.gateway.stopped.length > 0);
    expect(await sidecar.end()).toBe(0);
  });

  test("a leader whose lease cannot be released: it expires", async () => {
    await using world = await startWorld();
    await addNode(world.cluster, "node", world.driver.settings.name);
    const sidecar = world.csiSidecars();
    await addAndAttach(world, "data", "node");
    world.gateway.decide(({ method, path }) => (method === "PUT" && path.includes("/leases/") ? "hang" : "pass"));
    expect(await sidecar.end()).toBe(0);
    expect(sidecar.output).toContain("Failed to release the lease, it will expire by itself");
    expect(await holderOf(world.cluster, consolidatedLease)).toBe("pod");
  });
});

describe("SIGTERM ends a process that waits for its driver", () => {
  test("the socket does not exist", async () => {
    await using world = await startWorld();
    await world.driver.kill();
    const sidecar = world.csiSidecars("--http-endpoint=127.0.0.1:0");
    await sidecar.logged("HTTP server is listening");
    expect(await sidecar.end()).toBe(0);
  });

  test.each(["Probe", "GetPluginInfo", "GetPluginCapabilities", "ControllerGetCapabilities"] as const)(
    "%s is not answered",
    async (method) => {
      await using world = await startWorld();
      world.driver.always(method, step.hang);
      const sidecar = world.csiSidecars();
      await world.driver.called(method);
      expect(await sidecar.end()).toBe(0);
    },
  );
});
