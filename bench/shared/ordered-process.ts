import { createInterface } from "node:readline";
import type { Workbench } from "./workbench.ts";

/** A script of ours in a process of its own: it says one JSON line when it is ready, and one for each that it is given. */
export interface OrderedProcess<Order, Answer, Ready = Answer> {
  /** What it said when it was ready. */
  readonly ready: Ready;
  /** One at a time. */
  order(order: Order): Promise<Answer>;
}

export async function startOrdered<Order extends object, Answer, Ready = Answer>(
  bench: Workbench,
  script: string,
  args: readonly string[],
): Promise<OrderedProcess<Order, Answer, Ready>> {
  const { stdin, stdout } = bench.start(process.execPath, [script, ...args]);
  if (!stdin || !stdout) throw new Error(`cannot start ${script}`);
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${script} has ended`);
    return JSON.parse(value);
  };
  return {
    ready: await next(),
    order(order) {
      stdin.write(`${JSON.stringify(order)}\n`);
      return next();
    },
  };
}
