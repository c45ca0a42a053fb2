import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Capabilities } from "@csi-sidecars/testcluster";
import type { Workbench } from "../shared/workbench.ts";
import type { CallCounts, Order } from "./fleet.ts";

const timeoutMs = 120_000;

/** A driver with a fleet of volumes, in a process of its own that keeps no record of single calls. */
export interface HealthDriver {
  /** Its socket. */
  readonly address: string;
  /** Carries out an order; returns what the driver was asked so far. */
  order(order: Order): Promise<CallCounts>;
  /** Waits until the driver was asked so often. `check` is called meanwhile and may throw. */
  until(reached: (counts: CallCounts) => boolean, check: () => void): Promise<CallCounts>;
}

export async function startHealthDriver(bench: Workbench, name: string, capabilities: Capabilities["controller"]): Promise<HealthDriver> {
  const address = bench.path(`${name}.sock`);
  const child = bench.start(process.execPath, [join(import.meta.dirname, "driver-main.ts"), address, ...capabilities]);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("cannot start the driver");
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  const nextCounts = async (): Promise<CallCounts> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the driver has ended");
    return JSON.parse(value);
  };
  const order = (given: Order) => {
    stdin.write(`${JSON.stringify(given)}\n`);
    return nextCounts();
  };
  await nextCounts();
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
