import { afterAll, afterEach, beforeAll, beforeEach, describe } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { findKubectl } from "./find-kubectl.ts";

const found = findKubectl(process.env);

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A kubectl that is still running, such as a watch. */
export interface RunningKubectl extends AsyncDisposable {
  /** Waits until what it printed contains the text. */
  prints(text: string): Promise<void>;
  readonly output: string;
}

/** A user of kubectl: one kubeconfig, one discovery cache, any number of commands. */
export interface Kubectl extends Disposable {
  /** Where relative file names lead. */
  readonly folder: string;
  file(name: string, text: string): string;
  run(
    args: readonly string[] | string,
    options?: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Ended>;
  /** The output of a command that must succeed, without what differs from run to run. */
  says(args: readonly string[] | string, stdin?: string): Promise<string>;
  /** The error output of a command that must fail. */
  refuses(args: readonly string[] | string, stdin?: string): Promise<string>;
  start(args: readonly string[] | string): RunningKubectl;
}

const limitMs = 25_000;

export function kubectlFor(cluster: Cluster, token = cluster.adminToken): Kubectl {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(token), { mode: 0o600 });
  const begin = (args: readonly string[] | string, env: Readonly<Record<string, string>> = {}) =>
    spawn(found.path ?? "kubectl", typeof args === "string" ? args.split(" ") : [...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, KUBECONFIG: kubeconfig, ...env },
      stdio: "pipe",
    });

  const run: Kubectl["run"] = (args, { stdin = "", env } = {}) =>
    new Promise((resolve, reject) => {
      const child = begin(args, env);
      const [stdout, stderr]: [string[], string[]] = [[], []];
      child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.push(text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
      child.on("error", reject);
      const limit = setTimeout(() => child.kill(), limitMs);
      child.on("close", (code) => {
        clearTimeout(limit);
        resolve({ code: code ?? -1, stdout: stdout.join(""), stderr: stderr.join("") });
      });
      child.stdin.end(stdin);
    });

  return {
    folder,
    file(name, text) {
      writeFileSync(join(folder, name), text);
      return name;
    },
    run,
    async says(args, stdin) {
      const { code, stdout, stderr } = await run(args, { ...(stdin !== undefined && { stdin }) });
      if (code !== 0) throw new Error(`kubectl ${args}: exit code ${code}: ${stderr}`);
      return ageless(stdout);
    },
    async refuses(args, stdin) {
      const { code, stdout, stderr } = await run(args, { ...(stdin !== undefined && { stdin }) });
      if (code === 0) throw new Error(`kubectl ${args} succeeded: ${stdout}`);
      return ageless(stderr);
    },
    start(args) {
      const child = begin(args);
      let output = "";
      const listeners = new Set<() => void>();
      const hear = (text: string) => {
        output += text;
        for (const listener of listeners) listener();
      };
      child.stdout.setEncoding("utf8").on("data", hear);
      child.stderr.setEncoding("utf8").on("data", hear);
      const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
      return {
        get output() {
          return output;
        },
        prints: (text) =>
          new Promise((resolve, reject) => {
            const limit = setTimeout(() => finish(new Error(`kubectl ${args} never printed "${text}", only: ${output}`)), limitMs);
            const look = () => void (output.includes(text) && finish());
            function finish(error?: Error) {
              clearTimeout(limit);
              listeners.delete(look);
              if (error) reject(error);
              else resolve();
            }
            listeners.add(look);
            look();
          }),
        async [Symbol.asyncDispose]() {
          child.kill();
          await ended;
        },
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Text with what differs from run to run made equal: ages, times, uids, versions, the server's address, and the namespace that kubectl
 * names after "deleted" since 1.34; no spaces at the ends of lines.
 */
export function ageless(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<uid>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000/g, "<time>")
    .replace(/(resource ?version"?: +)"?\d+"?/gi, "$1<version>")
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
    .replace(/( deleted) from \S+ namespace$/gm, "$1")
    .replace(/(?<=^|\s)(?:\d+[smhdy])+(?=[\s)]|$)/gm, "<age>")
    .replace(/ +$/gm, "");
}

/** What the tests of a group share; there when the first of them begins. */
export interface KubectlWorld {
  readonly cluster: Cluster;
  readonly kubectl: Kubectl;
}

/**
 * A group of tests with a cluster and kubectl; skipped where there is no kubectl, or only an old one. They share the cluster, unless
 * `prepare` is {@link nothing}: then each of them, and each retry of one, gets an empty one.
 */
export function describeKubectl(
  command: string,
  prepare: (kubectl: Kubectl, cluster: Cluster) => Promise<void>,
  tests: (world: KubectlWorld) => void,
): void {
  const title = found.path === undefined ? `kubectl ${command} (skipped: ${found.missing})` : `kubectl ${command}`;
  describe.skipIf(found.path === undefined)(title, () => {
    let cluster: Cluster;
    let kubectl: Kubectl;
    const [before, after] = prepare === nothing ? [beforeEach, afterEach] : [beforeAll, afterAll];
    before(async () => {
      cluster = await startCluster();
      kubectl = kubectlFor(cluster);
      await prepare(kubectl, cluster);
    });
    after(async () => {
      kubectl?.[Symbol.dispose]();
      await cluster?.[Symbol.asyncDispose]();
    });
    tests({
      get cluster() {
        return cluster;
      },
      get kubectl() {
        return kubectl;
      },
    });
  });
}

/** For groups that begin with an empty cluster. */
export const nothing = async () => {};
