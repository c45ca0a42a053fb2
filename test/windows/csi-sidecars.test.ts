import { describe, expect, test } from "bun:test";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { until } from "../e2e/testing/until.ts";
import { startWindowsProgram, why } from "./testing/ring.ts";

const socket = "C:\\csi\\csi.sock";
const pipe = "\\\\.\\pipe\\csi-driver";

async function startDriver() {
  const driver = startWindowsProgram("bun.exe", ["driver.js", pipe]);
  await until("the driver serves", () => driver.output.includes("serving"));
  return driver;
}

/** A sidecar with its health on a free port. */
async function startSidecar(name: string, ...flags: readonly string[]) {
  const address = `127.0.0.1:${await freePort()}`;
  const program = startWindowsProgram("csi-sidecars.exe", [name, ...flags, `--http-endpoint=${address}`]);
  const get = async (path: string) => {
    const response = await fetch(`http://${address}${path}`);
    return [response.status, await response.text()] as const;
  };
  await until("it listens", () => program.output.includes('"HTTP server is listening"'));
  return Object.assign(program, { get });
}

describe.skipIf(why !== "")(`under Wine, csi-sidecars.exe${why}`, () => {
  test.each<[readonly string[], number, string]>([
    [["--version"], 0, "csi-sidecars v"],
    [["--help"], 0, "Usage: csi-sidecars "],
    [["livenessprobe", "--help"], 0, "Usage: livenessprobe "],
    [["livenessprobe", "--no-such-flag"], 2, "unknown flag: --no-such-flag"],
    [["--kubeconfig=C:\\nothing"], 1, "kubeconfig: C:\\\\nothing: file not found"],
  ])("%p", async (args, code, text) => {
    await using program = startWindowsProgram("csi-sidecars.exe", args);
    expect([await program.exit(), program.output]).toEqual([code, expect.stringContaining(text)]);
  });

  test("livenessprobe tells the health of a driver on a named pipe", async () => {
    await using driver = await startDriver();
    await using probe = await startSidecar("livenessprobe", `--csi-address=npipe://${pipe}`);
    expect(await probe.get("/healthz")).toEqual([200, "ok"]);
    expect(await probe.get("/metrics")).toEqual([200, expect.stringContaining("# TYPE csi_sidecar_operations_seconds histogram")]);
    await driver.end("SIGKILL");
    expect(await probe.get("/healthz")).toEqual([500, expect.stringContaining("csi-driver")]);
    expect(await probe.end("SIGINT")).toBe(0);
  });

  test("livenessprobe says which socket it cannot reach: Wine has none", async () => {
    await using probe = await startSidecar("livenessprobe", `--csi-address=${socket}`);
    expect(await probe.get("/healthz")).toEqual([500, expect.stringContaining(`dial unix ${socket}: connect: no such file or directory`)]);
    expect(await probe.end("SIGINT")).toBe(0);
  });

  test("csi-node-driver-registrar says which socket it cannot make: Wine has none", async () => {
    await using _driver = await startDriver();
    const folders = ["--kubelet-registration-path=C:\\csi\\csi.sock", "--plugin-registration-path=C:\\windows"];
    await using registrar = await startSidecar("csi-node-driver-registrar", `--csi-address=npipe://${pipe}`, ...folders);
    expect(await registrar.exit()).toBe(1);
    expect(registrar.output).toMatch(/cannot create the registration socket C:\\\\windows.wine\.example\.com-reg\.sock: Failed to listen/);
  });
});
