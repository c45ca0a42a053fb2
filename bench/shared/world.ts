import { setTimeout as sleep } from "node:timers/promises";
import { type Client, electionNames, Lease, mergePatch } from "@csi-sidecars/kube";
import { type Capabilities, type DriverProcess, startDriverProcess } from "@csi-sidecars/testcluster";
import type { ApiRequest } from "./audit-log.ts";
import type { CountingServer, User } from "./counting-server.ts";
import type { Sidecar } from "./sidecar.ts";
import { driverName } from "./volumes.ts";
import type { Workbench } from "./workbench.ts";

/** The cluster and driver that all subjects work with, one after the other; any driver that has a socket. */
export interface Surroundings {
  readonly bench: Workbench;
  readonly server: CountingServer;
  readonly driver: Pick<DriverProcess, "address">;
  /** Without a client-side rate limit. */
  readonly admin: Client;
  /** A resource that every subject watches as soon as it leads. */
  readonly watched: string;
}

/** The same with the scripted driver, which records every call. */
export interface World extends Surroundings {
  readonly driver: DriverProcess;
}

/** What a benchmark needs of its driver, and how it knows that a subject works. */
export interface WorldOptions extends Partial<Pick<Capabilities, "node">>, Pick<Capabilities, "controller"> {
  /** See {@link World.watched}. */
  readonly watched: string;
  /** The lease of the individual program, ours and upstream's. */
  readonly lease: string;
}

/** Adds a driver to a server. It cannot list its volumes, so no subject reconciles against a list. */
export async function worldWith(
  bench: Workbench,
  server: CountingServer,
  { watched, lease, ...capabilities }: WorldOptions,
): Promise<World> {
  const driver = await startControllerDriver(bench, capabilities);
  await createLeases(server.admin, lease);
  return { bench, server, driver, admin: server.admin, watched };
}

/** Makes the leases of the all-in-one and of an individual program: who has to create its own waits for a former leader first. */
export async function createLeases(admin: Client, individual: string): Promise<void> {
  for (const lock of [`csi-sidecars-${driverName}`, individual]) {
    const { leaseName } = electionNames(lock, "");
    await admin.create(Lease, { metadata: { namespace: "default", name: leaseName } });
  }
}

/** Starts a driver in a process of its own. */
export async function startControllerDriver(
  bench: Workbench,
  { controller, node = [] }: Pick<WorldOptions, "controller" | "node">,
): Promise<DriverProcess> {
  const driver = await startDriverProcess({
    name: driverName,
    capabilities: { plugin: ["CONTROLLER_SERVICE"], controller, expansion: [], groupController: [], node },
  });
  bench.defer(async () => driver[Symbol.asyncDispose]());
  return driver;
}

/** Frees the leases that a former subject held and did not release: whoever starts next would wait until they expire. */
export async function freeLeases({ admin }: Pick<Surroundings, "admin">): Promise<void> {
  const { items } = await admin.list(Lease, { namespace: "default" });
  for (const { metadata } of items) {
    await admin.patch(Lease, { name: metadata?.name ?? "", namespace: "default" }, mergePatch({ spec: { holderIdentity: "" } }));
  }
}

const settleMs = 2_000;

/** Waits until a subject watches: it leads and has started. Returns its requests so far. */
export async function untilWatching({ server, watched }: Surroundings, user: User, sidecar: Sidecar): Promise<readonly ApiRequest[]> {
  for (;;) {
    // Reading the requests takes CPU, and the subject should start undisturbed.
    await sleep(1_000);
    sidecar.check();
    const requests = await server.requests(user);
    if (requests.some(({ what }) => what === `watch ${watched}`)) {
      await sleep(settleMs);
      return requests;
    }
  }
}
