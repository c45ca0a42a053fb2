import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedDriver } from "@csi-sidecars/testcluster";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { binary } from "../e2e/testing/binary.ts";
import { until } from "../e2e/testing/until.ts";
import { inetSockets } from "./testing/inet-sockets.ts";
import { Unprivileged } from "./testing/run.ts";

describe.skipIf(process.platform !== "linux")("without privileges", () => {
  let folder: string;
  let program: string;
  /** Readable, and no more than that. */
  let work: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "unprivileged-"));
    chmodSync(folder, 0o755);
    program = join(folder, "csi-sidecars");
    copyFileSync(binary(), program);
    work = join(folder, "work");
    mkdirSync(work, { mode: 0o555 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("a node's sidecars need no home directory, writable folder, API server or sockets but their own", async () => {
    await using driver = await startScriptedDriver({ socket: join(folder, "csi.sock") });
    chmodSync(driver.address, 0o777);
    const registry = join(folder, "registry");
    mkdirSync(registry);
    chmodSync(registry, 0o777);
    const port = await freePort();
    await using sidecar = new Unprivileged(
      program,
      [
        "--controllers=livenessprobe,node-driver-registrar",
        `--csi-address=${driver.address}`,
        `--http-endpoint=127.0.0.1:${port}`,
        `--kubelet-registration-path=${driver.address}`,
        `--plugin-registration-path=${registry}`,
      ],
      work,
    );

    await until("healthy and offered to kubelet", async () => {
      if (!sidecar.running) throw new Error(`it ended:\n${sidecar.output}`);
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      return answer?.status === 200 && readdirSync(registry).length > 0;
    });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(inetSockets(sidecar.pid).map(({ localPort }) => localPort)).toContain(port);
    expect(inetSockets(sidecar.pid).filter(({ localPort }) => localPort !== port)).toEqual([]);
    expect(await sidecar.end("SIGTERM")).toBe(0);
    expect(readdirSync(work)).toEqual([]);
    expect(readdirSync(registry)).toEqual([]);
  });

  test("an unreadable kubeconfig is reported with the reason and the remedy", async () => {
    const path = join(folder, "kubeconfig");
    writeFileSync(path, "", { mode: 0 });
    await using sidecar = new Unprivileged(program, ["--controllers=attacher", `--kubeconfig=${path}`], work);
    expect(await sidecar.exit()).toBe(1);
    expect(sidecar.output).toContain(`kubeconfig: ${path}: permission denied; check --kubeconfig`);
  });
});
