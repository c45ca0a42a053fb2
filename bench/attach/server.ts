import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type CountingServer, countingServer, type User } from "../shared/counting-server.ts";
import type { ServerKind } from "../shared/server.ts";
import type { Workbench } from "../shared/workbench.ts";

/** Starts an API server without controllers, in processes of its own. */
export async function startCountingServer(bench: Workbench, kind: ServerKind, users: number): Promise<CountingServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server-main.ts"), String(users)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TESTCLUSTER: kind },
  });
  const gone = once(child, "exit");
  // Not killed: a real control plane is several processes, and the one that started them has to stop them.
  bench.defer(async () => {
    child.stdin.end();
    await gone;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the API server ended");
    return JSON.parse(value);
  };
  const first: { readonly admin: string; readonly users: readonly User[] } = await next();
  return countingServer(bench, {
    adminKubeconfig: first.admin,
    users: first.users,
    requests(user) {
      child.stdin.write(`${user}\n`);
      return next();
    },
  });
}
