import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DiskDefinition } from "../../packages/csi-proxy/gen/disk/v1.ts";
import { DiskDefinition as DiskV1Beta1 } from "../../packages/csi-proxy/gen/disk/v1beta1.ts";
import { FilesystemDefinition } from "../../packages/csi-proxy/gen/filesystem/v1.ts";
import { FilesystemDefinition as FilesystemV1Beta1 } from "../../packages/csi-proxy/gen/filesystem/v1beta1.ts";
import { SmbDefinition } from "../../packages/csi-proxy/gen/smb/v1.ts";
import { groupVersions } from "../../packages/csi-proxy/server/api-groups.ts";
import { run } from "../artifacts/testing/run.ts";
import { until } from "../e2e/testing/until.ts";
import { CsiProxyFolders, startCsiProxy } from "./testing/csi-proxy-process.ts";

/** The status of a call that fails, as grpc-js has it. */
async function statusOf(call: Promise<object>): Promise<readonly [code: number, details: string]> {
  const error = await call.then(
    () => ({ code: 0, details: "" }),
    (reason) => reason,
  );
  return [error.code, error.details];
}

describe.skipIf(process.platform === "win32")("the built csi-proxy, with grpc-js as its client", () => {
  test("serves all groups and versions, and removes their sockets when it ends", async () => {
    using folders = new CsiProxyFolders();
    await using program = await startCsiProxy(folders);
    expect(readdirSync(folders.sockets).sort()).toEqual(
      groupVersions.map(({ group, version }) => `csi-proxy-${group}-${version}.sock`).sort(),
    );
    for (const name of readdirSync(folders.sockets)) expect(statSync(join(folders.sockets, name)).mode & 0o777).toBe(0o600);

    using filesystem = folders.client("filesystem", "v1", FilesystemDefinition);
    await filesystem.call("mkdir", { path: "C:\\var\\lib\\kubelet\\plugins\\größer" });
    expect(existsSync(join(folders.drives, "C/var/lib/kubelet/plugins/größer"))).toBe(true);
    using older = folders.client("filesystem", "v1beta1", FilesystemV1Beta1);
    expect(await older.call("pathExists", { path: "C:\\var\\lib\\kubelet\\plugins" })).toEqual({ error: "", exists: true });
    expect(await statusOf(filesystem.call("mkdir", { path: "C:\\Windows" }))).toEqual([
      2,
      "path: C:\\Windows is not within the working directories: [C:\\var\\lib\\kubelet]",
    ]);

    using disk = folders.client("disk", "v1", DiskDefinition);
    expect(await disk.call("rescan", {})).toEqual({});
    expect(folders.operations).toEqual(["disk.rescan"]);
    using elsewhere = folders.client("disk", "v1", DiskV1Beta1);
    expect(await statusOf(elsewhere.call("rescan", {}))).toEqual([12, "unknown service v1beta1.Disk"]);

    expect(await program.end("SIGTERM")).toBe(0);
    expect(readdirSync(folders.sockets)).toEqual([]);
    expect(program.output).toContain('] Call group="disk" version="v1" method="Rescan" code="OK" duration="');
  });

  test("answers many calls of several clients at once, beside connections that stay silent", async () => {
    using folders = new CsiProxyFolders();
    await using _program = await startCsiProxy(folders);
    const silent = Array.from({ length: 20 }, () => connect(folders.socket("filesystem", "v1")).on("error", () => {}));
    using one = folders.client("filesystem", "v1", FilesystemDefinition);
    using other = folders.client("filesystem", "v1", FilesystemDefinition);
    const paths = Array.from({ length: 100 }, (_, n) => `C:\\var\\lib\\kubelet\\${n}`);
    await Promise.all(paths.map((path, n) => (n % 2 ? one : other).call("mkdir", { path })));
    const exist = await Promise.all(paths.map((path, n) => (n % 2 ? other : one).call("pathExists", { path })));
    expect(exist).toEqual(paths.map(() => ({ exists: true })));
    for (const socket of silent) socket.destroy();
  });

  test("refuses what is too large, and serves the next call of the same client", async () => {
    using folders = new CsiProxyFolders();
    await using _program = await startCsiProxy(folders);
    using filesystem = folders.client("filesystem", "v1", FilesystemDefinition);
    const [code, details] = await statusOf(filesystem.call("mkdir", { path: "x".repeat(4 * 1024 * 1024 + 1) }));
    expect([code, details]).toEqual([8, expect.stringContaining("larger than max")]);
    expect(await filesystem.call("pathExists", { path: "C:\\var\\lib\\kubelet" })).toEqual({ exists: true });
  });

  test("ends a call whose deadline passes, while the operation that changes something finishes", async () => {
    using folders = new CsiProxyFolders();
    await using _program = await startCsiProxy(folders);
    using disk = folders.client("disk", "v1", DiskDefinition);
    folders.shut();
    const late = statusOf(disk.call("rescan", {}, { deadline: Date.now() + 500 }));
    expect((await late)[0]).toBe(4);
    const canceled = disk.call("rescan", {});
    await until("the second operation runs", () => folders.operations.length === 2);
    canceled.cancel();
    expect((await statusOf(canceled))[0]).toBe(1);
    folders.open();
    await until("both operations end", () => folders.ended === 2);
  });

  test("shows secrets to nobody", async () => {
    using folders = new CsiProxyFolders();
    await using program = await startCsiProxy(folders, "--v=10");
    folders.answer("smb.newMapping", { ok: false, error: { message: "the password hunter2-secret is wrong for \\\\host\\share" } });
    using smb = folders.client("smb", "v1", SmbDefinition);
    const request = { remote_path: "\\\\host\\share", local_path: "", username: "user", password: "hunter2-secret" };
    const [code, details] = await statusOf(smb.call("newSmbGlobalMapping", request));
    expect(code).toBe(2);
    expect(details).toContain("is wrong for");
    expect(details).not.toContain("hunter2");
    expect(await program.end("SIGTERM")).toBe(0);
    expect(program.output).toContain('method="NewSmbGlobalMapping" code="Unknown"');
    expect(program.output).not.toContain("hunter2");
  });
});

describe.skipIf(process.platform === "win32")("the end of csi-proxy", () => {
  test("waits for calls under way; new ones are refused meanwhile", async () => {
    using folders = new CsiProxyFolders();
    await using program = await startCsiProxy(folders);
    using disk = folders.client("disk", "v1", DiskDefinition);
    folders.shut();
    const underWay = disk.call("rescan", {});
    await until("the operation runs", () => folders.operations.length === 1);
    const silent = connect(folders.socket("volume", "v1")).on("error", () => {});
    program.signal("SIGTERM");
    await until("it shuts down", () => program.output.includes("Received a signal, shutting down"));
    expect((await statusOf(disk.call("rescan", {})))[0]).toBe(14);
    expect(program.running).toBe(true);
    folders.open();
    expect(await underWay).toEqual({});
    expect(await program.exit()).toBe(0);
    expect(folders.operations).toEqual(["disk.rescan"]);
    silent.destroy();
  });

  test("waits for an operation that nobody waits for any more", async () => {
    using folders = new CsiProxyFolders();
    await using program = await startCsiProxy(folders);
    using disk = folders.client("disk", "v1", DiskDefinition);
    folders.shut();
    const canceled = disk.call("rescan", {});
    await until("the operation runs", () => folders.operations.length === 1);
    canceled.cancel();
    await statusOf(canceled);
    program.signal("SIGINT");
    await until("it shuts down", () => program.output.includes("Received a signal, shutting down"));
    expect([program.running, folders.ended]).toEqual([true, 0]);
    folders.open();
    expect(await program.exit()).toBe(0);
    expect(folders.ended).toBe(1);
  });

  test("does not wait after a second signal", async () => {
    using folders = new CsiProxyFolders();
    await using program = await startCsiProxy(folders);
    using disk = folders.client("disk", "v1", DiskDefinition);
    folders.shut();
    const lost = statusOf(disk.call("rescan", {}));
    await until("the operation runs", () => folders.operations.length === 1);
    program.signal("SIGTERM");
    await until("it shuts down", () => program.output.includes("Received a signal, shutting down"));
    expect(await program.end("SIGTERM")).toBe(1);
    expect((await lost)[0]).toBe(14);
  });

  test("by SIGKILL leaves sockets that the next one replaces", async () => {
    using folders = new CsiProxyFolders();
    await using killed = await startCsiProxy(folders);
    expect(run(folders.flags, { program: "csi-proxy" })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("another process listens there"),
    });
    expect(await killed.end("SIGKILL")).toBe(null);
    expect(readdirSync(folders.sockets)).toHaveLength(23);
    await using next = await startCsiProxy(folders);
    using disk = folders.client("disk", "v1", DiskDefinition);
    expect(await disk.call("rescan", {})).toEqual({});
    expect(await next.end("SIGTERM")).toBe(0);
  });
});

test.skipIf(process.platform === "win32")("a folder where no socket can be made ends it with code 1 and all reasons", () => {
  using folders = new CsiProxyFolders();
  const blocked = join(folders.sockets, "csi-proxy-disk-v1.sock");
  mkdirSync(blocked);
  const { exitCode, stderr } = run(folders.flags, { program: "csi-proxy" });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`cannot listen on ${blocked}: it exists and is not a socket`);
  expect(readdirSync(folders.sockets)).toEqual(["csi-proxy-disk-v1.sock"]);
  expect(run([`--endpoint-dir=${join(folders.path, "absent")}`], { program: "csi-proxy" })).toMatchObject({ exitCode: 1 });
});
