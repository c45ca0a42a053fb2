import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Capabilities } from "@csi-sidecars/testcluster";
import { startOrdered } from "../ordered-process.ts";
import type { Workbench } from "../workbench.ts";
import type { CallCounts, Order } from "./fleet.ts";

const timeoutMs = 120_000;

/** A driver with a fleet of volumes, in a process of its own that keeps no record of single calls. */
export interface FleetDriver {
  /** Its socket. */
  readonly address: string;
  /** Carries out an order; returns what the driver was asked so far. */
  order(order: Order): Promise<CallCounts>;
  /** Waits until the driver was asked so often. `check` is called meanwhile and may throw. */
  until(reached: (counts: CallCounts) => boolean, check: () => void): Promise<CallCounts>;
}

export async function startFleetDriver(bench: Workbench, name: string, capabilities: Capabilities["controller"]): Promise<FleetDriver> {
  const address = bench.path(`${name}.sock`);
  const { order } = await startOrdered<Order, CallCounts>(bench, join(import.meta.dirname, "driver-main.ts"), [address, ...capabilities]);
  return {
    address,
    order,
    async until(reached, check) {
      for (const deadline = Date.now() + timeoutMs; ; await sleep(50)) {
        check();
        const counts = await order({});
        if (reached(counts)) return counts;
        if (Date.now() > deadline) throw new Error(`waited too long; the driver was asked ${JSON.stringify(counts)}`);
      }
    },
  };
}
