import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Client, Event, mergePatch, PersistentVolumeClaim, Pod, type V1Pod } from "@csi-sidecars/kube";
import { type DriverProcess, type Preset, presets, type Script, startDriverProcess, step } from "@csi-sidecars/testcluster";
import { clientOf, createClaim, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

const name = "own.example.com";
const inDefault = (of: string) => ({ namespace: "default", name: of });
const startDriver = (preset: Preset, script: Script = {}) =>
  startDriverProcess({ name, nodeId: "machine-7", capabilities: presets[preset], script });

/** A playground that runs with the driver, and a pod in it that uses a claim. */
async function startPod(driver: DriverProcess, flags: readonly string[] = [], nodeName?: string) {
  const run = world.start(["--driver", driver.address, ...flags]);
  await ready(run, 1);
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(run.output())?.[1] ?? "";
  const cluster = clientOf(kubeconfig);
  const { client } = cluster;
  await createClaim(kubeconfig, "data");
  const volumes = [{ name: "disk", persistentVolumeClaim: { claimName: "data" } }];
  await client.create(Pod, { metadata: inDefault("app"), spec: { nodeName, containers: [{ name: "app", image: "app" }], volumes } });
  const pod = (): Promise<V1Pod> => client.get(Pod, inDefault("app"));
  const isRunning = async () => (await pod()).status?.phase === "Running";
  return { run, client, pod, isRunning, [Symbol.dispose]: () => cluster[Symbol.dispose]() };
}

const nodeCalls = async (driver: DriverProcess) =>
  (await driver.calls()).filter(({ method }) => /^Node(Un)?(stage|publish|expand)/i.test(method));
const methods = async (driver: DriverProcess): Promise<readonly string[]> => (await nodeCalls(driver)).map(({ method }) => method);

const messageOf = (client: Client, reason: string) =>
  until(`the event ${reason}`, async () => (await client.list(Event)).items.find((event) => event.reason === reason)?.message);

test("the node service of the user's driver is called as a kubelet does, and nothing stays mounted", async () => {
  await using driver = await startDriver("full");
  using world = await startPod(driver);
  const { run, client, isRunning } = world;
  await until("the pod to run", isRunning);
  await until("the use of the volume", () => / pod default\/app Running on node-1, volumes mounted, \d+ of 1Gi used\n/.test(run.output()));
  const folder = /below (\S+), where your driver/.exec(run.output())?.[1] ?? "";
  const [stage, publish] = await nodeCalls(driver);
  const volumeId = (await client.get(PersistentVolumeClaim, inDefault("data"))).spec?.volumeName ?? "";
  expect([stage, publish]).toMatchObject([
    { method: "NodeStageVolume", request: { stagingTargetPath: `${folder}/.staged/${volumeId}` } },
    { method: "NodePublishVolume", request: { targetPath: `${folder}/default/app/disk`, readonly: false } },
  ]);

  await client.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ spec: { resources: { requests: { storage: "2Gi" } } } }));
  await until("the larger claim", async () => {
    const { status } = await client.get(PersistentVolumeClaim, inDefault("data"));
    return status?.capacity?.storage === "2Gi";
  });
  expect(await interrupt(run)).toBe(0);
  expect(await methods(driver)).toEqual<readonly string[]>([
    ...["NodeStageVolume", "NodePublishVolume", "NodeExpandVolume"],
    ...["NodeUnpublishVolume", "NodeUnstageVolume"],
  ]);
  expect(existsSync(folder)).toBe(false);
});

test("a pod whose volume cannot be mounted waits, and its events say why", async () => {
  await using driver = await startDriver("attachable", { NodePublishVolume: [step.fail("Internal", "only root can mount")] });
  using world = await startPod(driver);
  const { run, client, pod, isRunning } = world;
  expect(await messageOf(client, "FailedMount")).toMatch(
    /^MountVolume\.SetUp failed for volume "pvc-\S+" : rpc error: code = Internal desc = only root can mount$/,
  );
  await until("the pod to run", isRunning);
  await client.delete(Pod, inDefault("app"));
  await until("the end of the pod", () =>
    pod().then(
      () => false,
      () => true,
    ),
  );
  expect(await methods(driver)).toEqual(["NodePublishVolume", "NodePublishVolume", "NodeUnpublishVolume"]);
  expect(await interrupt(run)).toBe(0);
});

test.each<[string, readonly string[], string, string]>([
  ["--controller-only", ["--controller-only"], "node-1", `the node service of ${name} is not called, because of --controller-only`],
  ["another node", ["--nodes", "2"], "node-2", `the node service of ${name} works for node-1 only, not for node-2`],
])("where the driver cannot mount, a pod runs without its volume, and its events say so: %s", async (_, flags, node, why) => {
  await using driver = await startDriver("attachable");
  using world = await startPod(driver, flags, node);
  const { run, client, isRunning } = world;
  await until("the pod to run", isRunning);
  expect(await messageOf(client, "VolumeNotMounted")).toBe(why);
  expect(run.output()).toContain(node === "node-1" ? `run without their volumes: ${why}` : "on other nodes than node-1 they run without");
  expect(await interrupt(run)).toBe(0);
  expect(await methods(driver)).toEqual([]);
});

test("the pods of a kept cluster have their volumes mounted again", async () => {
  const state = `${world.folder}/kept`;
  await using driver = await startDriver("attachable");
  {
    using first = await startPod(driver, ["--state", state]);
    await until("the pod to run", first.isRunning);
    expect(await interrupt(first.run)).toBe(0);
  }
  const run = world.start(["--driver", driver.address, "--state", state]);
  await ready(run, 1);
  await until("the volume to be mounted again", async () => (await methods(driver)).length === 3);
  expect(await interrupt(run)).toBe(0);
  expect(await methods(driver)).toEqual(["NodePublishVolume", "NodeUnpublishVolume", "NodePublishVolume", "NodeUnpublishVolume"]);
});
