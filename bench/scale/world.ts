import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { User } from "../shared/counting-server.ts";
import { type FleetDriver, startFleetDriver } from "../shared/fleet/driver.ts";
import { startOrdered } from "../shared/ordered-process.ts";
import type { Workbench } from "../shared/workbench.ts";
import type { Done, Order, Ready, Size } from "./orders.ts";

/** A cluster that grows, with a driver that knows its volumes and can do all that a component may ask of it. */
export interface ScaleWorld {
  readonly bench: Workbench;
  readonly driver: FleetDriver;
  order(order: Order): Promise<Done>;
  growTo(size: Size): Promise<void>;
  /** An administrator that no subject has been yet. */
  newUser(): User;
}

const capabilities = [
  ...(["LIST_VOLUMES", "LIST_VOLUMES_PUBLISHED_NODES", "GET_VOLUME", "VOLUME_CONDITION"] as const),
  ...(["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME", "EXPAND_VOLUME", "CREATE_DELETE_SNAPSHOT"] as const),
];

export async function startWorld(bench: Workbench, users: number): Promise<ScaleWorld> {
  const cluster = await startOrdered<Order, Done, Ready>(bench, join(import.meta.dirname, "cluster-main.ts"), [String(users)]);
  const driver = await startFleetDriver(bench, "driver", capabilities);
  const free = cluster.ready.users.values();
  return {
    bench,
    driver,
    order: (order) => cluster.order(order),
    async growTo(size) {
      await cluster.order({ grow: size });
      await driver.order({ volumes: size.volumes });
    },
    newUser() {
      const { value } = free.next();
      if (!value) throw new Error("the API server has no more users");
      const kubeconfig = bench.path(`kubeconfig-${value.name}`);
      writeFileSync(kubeconfig, value.kubeconfig, { mode: 0o600 });
      return { name: value.name, kubeconfig };
    },
  };
}
