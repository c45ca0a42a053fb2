import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { connect, createClient, loadConfig, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { binary } from "./binary.ts";
import { until } from "./until.ts";

const main = join(import.meta.dirname, "../../cmd/playground/main.ts");

let temporary: string;
beforeAll(() => {
  binary();
  temporary = mkdtempSync(join(tmpdir(), "playground-"));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** The playground with a temporary folder of our own: what it leaves behind is seen there. */
function start(...args: string[]): { readonly child: ChildProcess; readonly output: () => string; readonly ended: Promise<unknown> } {
  const env = { PATH: process.env.PATH ?? "", TMPDIR: temporary };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
  }
  return { child, output: () => text, ended: once(child, "close") };
}

/** Its exit code and what it wrote; a line about a build that was needed first is left out. */
async function run(...args: string[]): Promise<readonly [code: number | null, output: string]> {
  const { child, output, ended } = start(...args);
  await ended;
  return [child.exitCode, output().replace(/^Building .*\n/, "")];
}

const alive = (pid: number) => spawnSync("kill", ["-0", String(pid)]).status === 0;

/** The processes that plain lines have told of. */
const pidsIn = (text: string) => [...text.matchAll(/runs as process (\d+)/g)].map(([, pid]) => Number(pid));

async function createClaim(kubeconfig: string, name: string): Promise<void> {
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: "test" });
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "test", qps: -1, burst: 0 });
  await client.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name },
    spec: { storageClassName: "playground", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  transport.close();
}

describe("the playground", () => {
  test("tells the story of a volume to its end and leaves nothing behind", async () => {
    const [code, output] = await run("--demo");
    expect([code, output]).toEqual([0, expect.stringContaining("Everything was seen: 8 steps")]);
    expect(output).toContain("asked for 2 times, made once");
    expect(readdirSync(temporary)).toEqual([]);
  }, 90_000);

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("ends all its processes and removes its folder after %s", async (signal) => {
    const { child, output, ended } = start();
    const pids = await until("both processes", () => {
      const found = pidsIn(output());
      return found.length === 2 && found;
    });
    expect(pids.map(alive)).toEqual([true, true]);
    child.kill(signal);
    await ended;
    await until("the end of everything", () => !pids.some(alive) && readdirSync(temporary).length === 0);
    expect(child.exitCode).toBe(signal === "SIGKILL" ? null : 0);
  });

  test("refuses a port in use and a state that is no folder, in one sentence, and leaves nothing behind", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const file = join(temporary, "file");
    writeFileSync(file, "");
    try {
      expect(await run("--port", String(port))).toEqual([
        1,
        `playground: --port: 127.0.0.1:${port} is in use; give another port, or none for a free one\n`,
      ]);
      expect(await run("--state", file)).toEqual([
        1,
        `playground: --state: cannot write to ${file} (EEXIST); give a folder that is yours\n`,
      ]);
      expect(readdirSync(temporary)).toEqual(["file"]);
    } finally {
      rmSync(file);
      taken.close();
    }
  });

  test("continues a kept state, and only one at a time", async () => {
    const state = mkdtempSync(join(tmpdir(), "playground-state-"));
    try {
      const first = start("--state", state);
      await until("the first to be ready", () => pidsIn(first.output()).length === 2);
      await createClaim(join(state, "kubeconfig"), "kept");
      await until("the claim bound", () => first.output().includes("claim default/kept Bound"));
      expect(await run("--state", state)).toEqual([
        1,
        `playground: --state: another playground works in ${state}; end it, or give another folder\n`,
      ]);
      first.child.kill("SIGINT");
      await first.ended;
      const again = start("--state", state);
      await until("the second to remember", () => again.output().includes("claim default/kept Bound"));
      again.child.kill("SIGINT");
      await again.ended;
      expect([first.child.exitCode, again.child.exitCode]).toEqual([0, 0]);
    } finally {
      rmSync(state, { recursive: true, force: true });
    }
  });
});
