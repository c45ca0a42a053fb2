import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { binary } from "./binary.ts";
import { until } from "./until.ts";

/** The program. */
export const playgroundMain = join(import.meta.dirname, "../../../cmd/playground/main.ts");

/** A playground that runs. */
export interface Run {
  readonly child: ChildProcess;
  output(): string;
  /** Settles when it is gone and everything it wrote was read. */
  readonly ended: Promise<unknown>;
}

/** Starts playgrounds with a temporary folder of their own: what they leave behind is seen there. Those that a failed test left running are ended. */
export interface Playgrounds extends AsyncDisposable {
  readonly folder: string;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Run;
  /** The exit code and what was written; a line about a build that was needed first is left out. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<readonly [code: number | null, output: string]>;
  /** What is left of playgrounds in the temporary folder. */
  leftovers(): readonly string[];
}

export function playgrounds(): Playgrounds {
  binary();
  const folder = mkdtempSync(join(tmpdir(), "pg-"));
  const runs: Run[] = [];
  const start: Playgrounds["start"] = (args, extra = {}) => {
    const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TMPDIR: folder, ...extra };
    const child = spawn(process.execPath, [playgroundMain, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (more: string) => {
        text += more;
      });
    }
    const run = { child, output: () => text, ended: once(child, "close") };
    runs.push(run);
    return run;
  };
  return {
    folder,
    start,
    async run(args, env) {
      const { child, output, ended } = start(args, env);
      await ended;
      return [child.exitCode, output().replace(/^Building .*\n/, "")];
    },
    leftovers: () => readdirSync(folder).filter((name) => name.startsWith("csi-playground-")),
    async [Symbol.asyncDispose]() {
      for (const { child, ended } of runs) {
        child.kill("SIGTERM");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const alive = (pid: number) => spawnSync("kill", ["-0", String(pid)]).status === 0;

/** The processes below one, all the way down. */
export function descendants(pid: number): readonly number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  const children = stdout
    .split("\n")
    .map(Number)
    .filter((child) => child > 0);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** The processes that the printed lines name. */
export const pidsIn = (text: string) => [...text.matchAll(/runs as process (\d+)/g)].map(([, pid]) => Number(pid));

/** Waits until the printed lines name csi-sidecars, snapshot-controller and the driver; fewer where the driver is not the playground's. */
export const ready = ({ output, child }: Run, processes = 3) =>
  until("the playground to be ready", () => {
    if (child.exitCode !== null) throw new Error(`it has ended:\n${output()}`);
    return pidsIn(output()).length >= processes;
  });

/** Ends it as Ctrl-C does; its exit code. */
export async function interrupt({ child, ended }: Run): Promise<number | null> {
  child.kill("SIGINT");
  await ended;
  return child.exitCode;
}

/** A client of the cluster whose kubeconfig is at the path. */
export function clientOf(kubeconfig: string): { readonly client: Client } & Disposable {
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: "test" });
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "test", qps: -1, burst: 0 });
  return { client, [Symbol.dispose]: () => transport.close() };
}

export async function createClaim(kubeconfig: string, name: string): Promise<void> {
  using cluster = clientOf(kubeconfig);
  await cluster.client.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name },
    spec: { storageClassName: "playground", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
}
