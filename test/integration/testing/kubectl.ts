import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Cluster } from "@csi-sidecars/testcluster";
import { assetsCache } from "../../../packages/testcluster/real/assets.ts";

/** The real kubectl: beside the control plane's programs, else on the PATH. */
export function findKubectl(env: NodeJS.ProcessEnv): string | undefined {
  const folders = [env.KUBEBUILDER_ASSETS || assetsCache(env), ...(env.PATH ?? "").split(delimiter)];
  return folders.map((folder) => join(folder, "kubectl")).find((file) => existsSync(file));
}

export const kubectlPath = findKubectl(process.env);

/** Why tests with kubectl are skipped, for the name of the group they are in. */
export const kubectlMissing = kubectlPath ? "" : " (skipped: no kubectl in KUBEBUILDER_ASSETS, the envtest cache or the PATH)";

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

/** Somebody at a terminal: one kubeconfig, one cache, any number of commands. */
export interface Kubectl extends Disposable {
  /** Where relative file names lead. */
  readonly folder: string;
  file(name: string, text: string): string;
  run(
    args: readonly string[] | string,
    options?: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Ended>;
  /** What a command that must succeed prints, without what differs from run to run. */
  says(args: readonly string[] | string, stdin?: string): Promise<string>;
  /** What a command that must fail says to its error output. */
  refuses(args: readonly string[] | string, stdin?: string): Promise<string>;
  start(args: readonly string[] | string): RunningKubectl;
}

const limitMs = 25_000;

export function kubectlFor(cluster: Cluster, token = cluster.adminToken): Kubectl {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(token), { mode: 0o600 });
  const begin = (args: readonly string[] | string, env: Readonly<Record<string, string>> = {}) =>
    spawn(kubectlPath ?? "kubectl", typeof args === "string" ? args.split(" ") : [...args], {
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

/** Text with what differs from run to run made equal: ages, times, uids, versions, the server's address; and no spaces at the ends of lines. */
export function ageless(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<uid>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000/g, "<time>")
    .replace(/(resource ?version"?: +)"?\d+"?/gi, "$1<version>")
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
    .replace(/(?<=^|\s)(?:\d+[smhdy])+(?=[\s)]|$)/gm, "<age>")
    .replace(/ +$/gm, "");
}
