import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@csi-sidecars/kube";
import { clientOf, createClaim, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

const inDefault = (name: string) => ({ namespace: "default", name });

test("pods on all nodes have their volumes in a folder, also after a force deletion", async () => {
  const run = world.start([]);
  await ready(run);
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(run.output())?.[1] ?? "";
  using cluster = clientOf(kubeconfig);
  const { client } = cluster;
  const start = (name: string, claimName: string, nodeName: string) =>
    client.create(Pod, {
      metadata: inDefault(name),
      spec: { nodeName, containers: [{ name: "app", image: "app" }], volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] },
    });
  const running = (name: string) =>
    until(`${name} running`, async () => (await client.get(Pod, inDefault(name))).status?.phase === "Running");
  const gone = (name: string) =>
    until(`the end of ${name}`, () =>
      client.get(Pod, inDefault(name)).then(
        () => false,
        () => true,
      ),
    );
  const file = (pod: string) => join(dirname(kubeconfig), "pods/default", pod, "data/file");

  for (const name of ["a", "b"]) await createClaim(kubeconfig, name);
  await start("a", "a", "node-1");
  await start("b", "b", "node-2");
  for (const name of ["a", "b"]) {
    await running(name);
    writeFileSync(file(name), name);
  }
  await client.delete(Pod, inDefault("a"));
  await gone("a");
  expect(existsSync(dirname(dirname(file("a"))))).toBe(false);
  await client.delete(Pod, inDefault("b"), { gracePeriodSeconds: 0 });
  await gone("b");
  await start("b", "a", "node-2");
  await running("b");
  expect(readFileSync(file("b"), "utf8")).toBe("a");

  await client.delete(Pod, inDefault("b"));
  for (const name of ["a", "b"]) await client.delete(PersistentVolumeClaim, inDefault(name));
  await until("the end of both volumes", async () => (await client.list(PersistentVolume)).items.length === 0);
  expect(await interrupt(run)).toBe(0);
  expect(world.leftovers()).toEqual([]);
});
