import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GrpcServer, type PluginInfo, RegistrationDefinition, type RegistrationStatus } from "@csi-sidecars/csi";
import { type PluginWatcher, startPluginWatcher } from "./plugin-watcher.ts";

async function registry() {
  const path = await mkdtemp(join(tmpdir(), "registry-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const csi = (name: string): PluginInfo => ({ type: "CSIPlugin", name, endpoint: `/var/lib/${name}.sock`, supportedVersions: ["1.0.0"] });

async function plugin(path: string, info: PluginInfo) {
  const told: RegistrationStatus[] = [];
  const server = new GrpcServer().serve(RegistrationDefinition, {
    getInfo: () => info,
    notifyRegistrationStatus: (status) => {
      told.push(status);
      return {};
    },
  });
  await server.listen({ path });
  return { told, server, [Symbol.asyncDispose]: () => server.kill() };
}

const kinds = ({ records }: PluginWatcher) => records.map(({ kind }) => kind);

test("finds a socket that is there and one that comes later, and registers both", async () => {
  await using folder = await registry();
  await using a = await plugin(join(folder.path, "a-reg.sock"), csi("a"));
  await using kubelet = await startPluginWatcher({ directory: folder.path });
  await kubelet.until("a", () => kubelet.drivers.has("a"));
  await using b = await plugin(join(folder.path, "b-reg.sock"), csi("b"));
  await kubelet.until("b", () => kubelet.drivers.has("b"));
  expect(kubelet.drivers.get("b")).toEqual(csi("b"));
  expect([a.told, b.told]).toEqual([[{ pluginRegistered: true, error: "" }], [{ pluginRegistered: true, error: "" }]]);
});

test("a removed socket de-registers, another one of the same path registers again", async () => {
  await using folder = await registry();
  const path = join(folder.path, "a-reg.sock");
  await using kubelet = await startPluginWatcher({ directory: folder.path });
  await using _first = await plugin(path, csi("a"));
  await kubelet.until("a", () => kubelet.drivers.has("a"));
  await rm(path);
  await kubelet.until("the removal", () => !kubelet.drivers.has("a"));
  await using second = await plugin(path, csi("a"));
  await kubelet.until("a again", () => kubelet.drivers.has("a"));
  await rm(path);
  await using third = await plugin(path, csi("a"));
  await kubelet.until("the third", () => kubelet.records.filter(({ kind }) => kind === "registered").length === 3);
  expect([second.told.length, third.told.length]).toEqual([1, 1]);
  expect(kinds(kubelet).slice(0, 6)).toEqual(["found", "registered", "removed", "deregistered", "found", "registered"]);
});

test("dot-files and plain files are ignored, a rename counts as a new socket, folders are followed", async () => {
  await using folder = await registry();
  await using kubelet = await startPluginWatcher({ directory: folder.path });
  await writeFile(join(folder.path, "readme"), "");
  await using _a = await plugin(join(folder.path, ".a.sock"), csi("a"));
  await mkdir(join(folder.path, "deeper"));
  await using _b = await plugin(join(folder.path, "deeper", "b.sock"), csi("b"));
  await kubelet.until("b", () => kubelet.drivers.has("b"));
  expect([...kubelet.drivers.keys()]).toEqual(["b"]);
  await rename(join(folder.path, ".a.sock"), join(folder.path, "a.sock"));
  await kubelet.until("a", () => kubelet.drivers.has("a"));
});

test.each([
  {
    given: "another kind of plugin",
    info: { ...csi("a"), type: "DevicePlugin" },
    error: "no handler registered for plugin type: DevicePlugin",
  },
  {
    given: "another version",
    info: { ...csi("a"), supportedVersions: ["2.0.0"] },
    error: 'plugin validation failed with err: versions ["2.0.0"]',
  },
])("$given is refused with a message", async ({ info, error }) => {
  await using folder = await registry();
  await using a = await plugin(join(folder.path, "a.sock"), info);
  await using kubelet = await startPluginWatcher({ directory: folder.path });
  await kubelet.until("the refusal", () => kinds(kubelet).includes("refused"));
  expect(kubelet.drivers.size).toBe(0);
  expect(a.told).toEqual([{ pluginRegistered: false, error: expect.stringContaining(error) }]);
});

test("a script refuses, and the next attempt may succeed", async () => {
  await using folder = await registry();
  await using a = await plugin(join(folder.path, "a.sock"), csi("a"));
  const register = (_: PluginInfo, attempt: number) => (attempt === 1 ? "not today" : undefined);
  await using kubelet = await startPluginWatcher({ directory: folder.path, register });
  await kubelet.until("the second attempt", () => kubelet.drivers.has("a"));
  expect(a.told).toEqual([
    { pluginRegistered: false, error: "RegisterPlugin error -- plugin registration failed with err: not today" },
    { pluginRegistered: true, error: "" },
  ]);
});

test("another kubelet finds and registers what is there", async () => {
  await using folder = await registry();
  await using a = await plugin(join(folder.path, "a.sock"), csi("a"));
  await using kubelet = await startPluginWatcher({ directory: folder.path });
  await kubelet.until("a", () => kubelet.drivers.has("a"));
  await kubelet.stop();
  expect(kubelet.drivers.size).toBe(0);
  await kubelet.start();
  await kubelet.until("a again", () => kubelet.drivers.has("a"));
  expect(a.told).toHaveLength(2);
});
