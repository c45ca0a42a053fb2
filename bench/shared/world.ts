import { setTimeout as sleep } from "node:timers/promises";
import { type Client, electionNames, Lease } from "@csi-sidecars/kube";
import { type DriverProcess, startDriverProcess } from "@csi-sidecars/testcluster";
import type { ApiRequest } from "./audit-log.ts";
import type { CountingServer, User } from "./counting-server.ts";
import type { Sidecar } from "./sidecar.ts";
import { driverName } from "./volumes.ts";
import type { Workbench } from "./workbench.ts";

/** The cluster and driver that all subjects work with, one after the other. */
export interface World {
  readonly bench: Workbench;
  readonly server: CountingServer;
  readonly driver: DriverProcess;
  /** Without a client-side rate limit. */
  readonly admin: Client;
}

type ControllerCapability = "CREATE_DELETE_VOLUME" | "PUBLISH_UNPUBLISH_VOLUME";

/** Adds a driver to a server. It cannot list its volumes, so no subject reconciles against a list. */
export async function worldWith(
  bench: Workbench,
  server: CountingServer,
  controller: readonly [ControllerCapability, ...ControllerCapability[]],
): Promise<World> {
  const driver = await startDriverProcess({
    name: driverName,
    capabilities: { plugin: ["CONTROLLER_SERVICE"], controller, expansion: [], groupController: [], node: [] },
  });
  bench.defer(async () => driver[Symbol.asyncDispose]());
  // Who has to create its lease waits for a former leader, and renews the lease meanwhile.
  const { leaseName } = electionNames(`csi-sidecars-${driverName}`, "");
  await server.admin.create(Lease, { metadata: { namespace: "default", name: leaseName } });
  return { bench, server, driver, admin: server.admin };
}

const settleMs = 2_000;

/** Waits until a subject watches attachments: it leads and has started. Returns its requests so far. */
export async function untilWatching({ server }: World, user: User, sidecar: Sidecar): Promise<readonly ApiRequest[]> {
  for (;;) {
    // Reading the requests takes CPU, and the subject should start undisturbed.
    await sleep(1_000);
    sidecar.check();
    const requests = await server.requests(user);
    if (requests.some(({ what }) => what === "watch volumeattachments")) {
      await sleep(settleMs);
      return requests;
    }
  }
}
