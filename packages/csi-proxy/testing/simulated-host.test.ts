import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OperationId, operations } from "../powershell/catalogue.ts";
import { FolderPaths, MemoryPaths, SimulatedHost, SimulatedScriptError } from "./index.ts";

describe("the simulated host", () => {
  test("knows every operation of the catalogue", async () => {
    const host = new SimulatedHost();
    const outcomes = await Promise.all(Object.keys(operations).map((op) => host.run(op, {}).then(() => "", String)));
    expect(outcomes.filter((outcome) => outcome.includes("the simulated host has no"))).toEqual([]);
  });

  test("refuses what is not in the catalogue", async () => {
    const host = new SimulatedHost();
    expect(String(await host.run("disk.explode", {}).catch((error) => error))).toContain("disk.explode: no such operation");
    expect(String(await host.run("disk.rescan", { disk_number: "1" }).catch((error) => error))).toContain("is not acceptable");
    expect(host.calls).toEqual([]);
  });

  test("fails when told to: as a script, or without an answer", async () => {
    const host = new SimulatedHost();
    host.failNext("disk.rescan", { message: "busy", category: "ResourceBusy" });
    host.failNext("disk.rescan", new Error("the process died"));
    expect(await host.run("disk.rescan", {})).toEqual({ ok: false, error: { message: "busy", category: "ResourceBusy" } });
    expect(await host.run("disk.rescan", {}).catch((error) => error.message)).toBe("the process died");
    expect(await host.run("disk.rescan", {})).toEqual({ ok: true, data: null });
    expect(host.operations).toEqual(["disk.rescan", "disk.rescan", "disk.rescan"]);
  });

  test("takes operations of one's own", async () => {
    const denied = (): never => {
      throw new SimulatedScriptError({ message: "access denied", category: "PermissionDenied" });
    };
    const own: { operations: { [op in OperationId]?: () => unknown } } = {
      operations: { "disk.rescan": denied, "system.bios": () => ({ serialNumber: "mine" }) },
    };
    const host = new SimulatedHost({ parts: [own] });
    expect(await host.run("disk.rescan", {})).toMatchObject({ ok: false, error: { category: "PermissionDenied" } });
    expect(await host.run("system.bios", {})).toEqual({ ok: true, data: { serialNumber: "mine" } });
  });

  test("does not begin what was aborted", async () => {
    const host = new SimulatedHost();
    const error = await host.run("disk.rescan", {}, { signal: AbortSignal.abort() }).catch((error) => error);
    expect([error.code, host.calls.length]).toEqual(["Aborted", 0]);
  });

  test("gives a freed number to the next disk, and hides the volumes of an offline one", async () => {
    const host = new SimulatedHost();
    expect([host.disks.attach({ size: 1n }).number, host.disks.attach({ size: 2n ** 30n, partitionStyle: 1 }).number]).toEqual([0, 1]);
    await host.run("disk.createPartition", { disk_number: "1" });
    const volumes = () => host.run("volume.list", { disk_number: "1", partition_number: "0" });
    expect(await volumes()).toEqual({ ok: true, data: [] });
    await host.run("disk.setOnline", { disk_number: "1", is_online: "true" });
    expect(await volumes()).toMatchObject({ ok: true, data: [{ partitionNumber: 1 }] });
    host.disks.detach(0);
    expect(host.disks.attach({ size: 1n }).number).toBe(0);
  });
});

test("MemoryPaths compares paths as Windows does", () => {
  const paths = new MemoryPaths();
  paths.writeFile("C:\\Data\\file");
  paths.symlink("D:\\", "C:\\data\\link");
  expect([paths.entry("c:\\data\\"), paths.entry("C:\\DATA\\FILE"), paths.entry("C:/data/link")]).toEqual([
    { kind: "directory", isEmpty: false },
    { kind: "file" },
    { kind: "symlink", target: "D:\\" },
  ]);
  paths.remove("C:\\data\\file");
  paths.remove("C:\\data\\link");
  expect([paths.entry("C:\\data"), paths.entry("C:\\other")]).toEqual([{ kind: "directory", isEmpty: true }, undefined]);
});

test("in a folder a path below a file is missing, as on Windows", async () => {
  const folder = mkdtempSync(join(tmpdir(), "folder-paths-"));
  try {
    mkdirSync(join(folder, "C"));
    writeFileSync(join(folder, "C", "file"), "");
    const paths = new FolderPaths(folder);
    expect(["C:\\file", "C:\\file\\below", "C:\\none"].map((path) => paths.entry(path))).toEqual([{ kind: "file" }, undefined, undefined]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
