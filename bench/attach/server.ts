import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Flavour } from "../shared/server.ts";
import type { Workbench } from "../shared/workbench.ts";

/** A request as the server saw it. */
export interface Asked {
  /** Verb and resource: "patch volumeattachments/status". */
  readonly what: string;
  readonly verb: string;
  readonly resource: string;
  readonly code: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Somebody who may do everything and whose requests are told from others'. */
export interface User {
  readonly name: string;
  /** A path. */
  readonly kubeconfig: string;
}

export interface CountingServer {
  /** A path. */
  readonly adminKubeconfig: string;
  /** Somebody nobody was yet. */
  newUser(): User;
  /** What the user asked since the server was started, watches included. */
  requests(user: User): Promise<readonly Asked[]>;
}

/** Starts an API server, and nothing around it, in processes of its own. */
export async function startCountingServer(bench: Workbench, flavour: Flavour, users: number): Promise<CountingServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server-process.ts"), String(users)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TESTCLUSTER: flavour },
  });
  const gone = once(child, "exit");
  // Not killed: a real control plane is more than one process, and is ended by the one that started it.
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
  const save = (name: string, text: string) => {
    const path = bench.path(`kubeconfig-${name}`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const first: { readonly admin: string; readonly users: readonly User[] } = await next();
  const free = first.users.values();
  return {
    adminKubeconfig: save("admin", first.admin),
    newUser() {
      const { value } = free.next();
      if (!value) throw new Error("the API server has no more users");
      return { name: value.name, kubeconfig: save(value.name, value.kubeconfig) };
    },
    async requests({ name }) {
      child.stdin.write(`${name}\n`);
      return next();
    },
  };
}
