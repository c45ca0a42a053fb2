import type { Executor } from "../powershell/executor.ts";

/** What became of the operation during which the driver died. */
export type LastOperation = "never ran" | "ran unseen";

/**
 * Reaches a host until the driver dies, at its nth operation: for tests of what the next call finds.
 *
 * ```ts
 * const proxy = createCsiProxy({ executor: mortalExecutor(host, 3, "ran unseen"), hostRoot });
 * ```
 */
export function mortalExecutor(host: Executor, nth: number, last: LastOperation): Executor {
  let count = 0;
  return {
    async run(op, params, options) {
      count++;
      if (count === nth && last === "ran unseen") await host.run(op, params, options);
      if (count >= nth) throw new Error("the driver is dead");
      return host.run(op, params, options);
    },
    async close() {},
  };
}
