import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Code } from "@csi-sidecars/csi";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { windowsStopSignal } from "../../tools/images/oci/image.ts";
import { ClientProgram } from "../csi-proxy/testing/client-program.ts";
import { until } from "../e2e/testing/until.ts";
import { callV1, startClient, startCsiProxyExe } from "./testing/csi-proxy-exe.ts";
import { goClientName, hasProgram, startWindowsProgram, WindowsFolder, why } from "./testing/ring.ts";

describe.skipIf(why !== "")(`under Wine, the process of csi-proxy.exe${why}`, () => {
  test("names its version, and what is wrong with a flag", async () => {
    await using version = startWindowsProgram("csi-proxy.exe", ["--version"]);
    expect([await version.exit(), version.output]).toEqual([0, expect.stringMatching(/^csi-proxy v\S+\r?\n$/)]);
    await using misuse = startWindowsProgram("csi-proxy.exe", ["--powershell=pwsh", "--dev-host-root=C:\\drives"]);
    expect(await misuse.exit()).toBe(2);
    expect(misuse.output).toContain('invalid value "pwsh" for flag --powershell: not an absolute path');
    expect(misuse.output).toContain("--dev-host-root: Windows has drives of its own");
  });

  test("asks to be the only one on a pipe, by which Windows refuses a second one", async () => {
    using folder = new WindowsFolder();
    // Wine itself grants it to every process, so its trace has to show what was asked.
    await using program = await startCsiProxyExe(folder, ["--groups=smb/v1"]);
    await using traced = await startCsiProxyExe(folder, ["--groups=smb/v1"], { WINEDEBUG: "+file" });
    const asked = [...traced.output.matchAll(/NtCreateNamedPipeFile \(\S+ ([0-9a-f]+) L"[^"]*csi-proxy-smb-v1"/g)];
    const firstPipeInstance = 0x80000;
    expect(asked.map(([, access]) => (Number.parseInt(access!, 16) & firstPipeInstance) !== 0)).toEqual([true, false, false, false]);
    expect(program.running).toBe(true);
  });

  test("lets calls under way finish after ctrl-C, and refuses new ones", async () => {
    using folder = new WindowsFolder();
    await using program = await startCsiProxyExe(folder);
    await using client = await startClient();
    folder.shut();
    const underWay = callV1(client, "Disk/Rescan");
    await until("the operation runs", () => folder.operations.length === 1);
    program.signal("SIGINT");
    await until("it shuts down", () => program.output.includes('Received a signal, shutting down signal="SIGINT"'));
    expect((await callV1(client, "Disk/Rescan", [], 1_000)).code).not.toBe(Code.OK);
    expect(program.running).toBe(true);
    folder.open();
    expect(await underWay).toMatchObject({ code: Code.OK });
    expect(await program.exit()).toBe(0);
    expect(folder.operations).toEqual(["disk.rescan"]);
  });

  // The second is why the images have a stop signal.
  test.each([
    ["finish: the stop signal of the images", true, Number(windowsStopSignal)],
    ["end: SIGTERM, for which it sends the event of a shutdown", false, 6],
  ])("stopped by containerd, calls under way %s", async (_, finishes, event) => {
    using folder = new WindowsFolder();
    await using program = await startCsiProxyExe(folder);
    await using client = await startClient();
    folder.shut();
    const underWay = callV1(client, "Disk/Rescan");
    await until("the operation runs", () => folder.operations.length === 1);
    const [, pid = ""] = /^I\d{4} [\d:.]+ +(\d+) /m.exec(program.output) ?? [];
    await using stop = startWindowsProgram("console-event.exe", [pid, String(event)]);
    expect(await stop.exit()).toBe(0);
    if (finishes) await until("it shuts down", () => program.output.includes('Received a signal, shutting down signal="SIGBREAK"'));
    else await program.exit();
    folder.open();
    expect((await underWay).code).toBe(finishes ? Code.OK : Code.Unavailable);
    expect(await program.exit()).toBe(0);
  });

  test("ends at once after a second ctrl-C", async () => {
    using folder = new WindowsFolder();
    await using program = await startCsiProxyExe(folder);
    await using client = await startClient();
    folder.shut();
    const lost = callV1(client, "Disk/Rescan");
    await until("the operation runs", () => folder.operations.length === 1);
    program.signal("SIGINT");
    await until("it shuts down", () => program.output.includes("Received a signal, shutting down"));
    program.signal("SIGINT");
    expect(await program.exit()).toBe(1);
    expect((await lost).code).toBe(Code.Unavailable);
    folder.open();
  });

  test("does not wait for connections that are silent", async () => {
    using folder = new WindowsFolder();
    await using program = await startCsiProxyExe(folder);
    await using client = await startSilentClient();
    expect((await callV1(client, "Disk/Rescan")).code).toBe(Code.OK);
    program.signal("SIGINT");
    expect(await program.exit()).toBe(0);
  });

  test("lives on when a client dies in the middle of a call", async () => {
    using folder = new WindowsFolder();
    await using _program = await startCsiProxyExe(folder);
    folder.shut();
    {
      await using dying = await startClient();
      void callV1(dying, "Disk/Rescan");
      await until("the operation runs", () => folder.operations.length === 1);
    }
    folder.open();
    await using client = await startClient();
    expect((await callV1(client, "Disk/Rescan")).code).toBe(Code.OK);
    expect(folder.ended).toBe(2);
  });

  test("logs to a file, and serves metrics and its health", async () => {
    using folder = new WindowsFolder();
    const address = `127.0.0.1:${await freePort()}`;
    const logFlags = ["--logtostderr=false", "--alsologtostderr", `--log_file=${folder.windowsPath}\\csi-proxy.log`];
    await using _program = await startCsiProxyExe(folder, [...logFlags, `--metrics-bind-address=${address}`]);
    await using client = await startClient();
    await callV1(client, "Disk/Rescan");
    expect(await (await fetch(`http://${address}/healthz`)).text()).toBe("ok");
    expect(await (await fetch(`http://${address}/metrics`)).text()).toContain(
      'grpc_server_handled_total{grpc_code="OK",grpc_method="Rescan",grpc_service="v1.Disk",grpc_type="unary"} 1',
    );
    const log = readFileSync(folder.onDisk(`${folder.windowsPath}\\csi-proxy.log`), "utf8");
    expect(log).toContain(`Working directories: [${folder.windowsPath}]`);
    expect(log).toContain('Call group="disk" version="v1" method="Rescan" code="OK"');
  });
});

/** One that opens a pipe to see that it is there, and then neither uses nor closes that: one in Go does so by itself. */
const startSilentClient = () =>
  ClientProgram.start((address) =>
    hasProgram(goClientName("grpc-go 1.38"))
      ? startWindowsProgram(goClientName("grpc-go 1.38"), [address])
      : startWindowsProgram("bun.exe", ["ts-client.js", address, "--silent-connections"]),
  );
