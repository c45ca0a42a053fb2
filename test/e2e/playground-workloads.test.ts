import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Client, type KubeObject, mergePatch, PersistentVolumeClaim, Pod, resource, type V1Pod } from "@csi-sidecars/kube";
import { installedAssets } from "@csi-sidecars/testcluster";
import { clientOf, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

const assets = installedAssets(process.env);

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

const inDefault = (name: string) => ({ namespace: "default", name });
const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image: "db" }] } };
const workload = (name: string, spec: object) => ({
  metadata: inDefault(name),
  spec: { selector: { matchLabels: { app: "db" } }, template, ...spec },
});
const workloads = (plural: string, kind: string) =>
  resource<KubeObject & { spec: object }>("apps/v1", plural, kind, { namespaced: true, status: true });
const StatefulSet = workloads("statefulsets", "StatefulSet");
const Deployment = workloads("deployments", "Deployment");

const runningPods = async (client: Client): Promise<readonly V1Pod[]> =>
  (await client.list(Pod, { namespace: "default" })).items.filter(({ status }) => status?.phase === "Running");

test.each<[string, readonly string[]]>([
  ["the embedded server", []],
  ...(assets ? [["a real control plane", ["--real"]] as [string, string[]]] : []),
])(
  "StatefulSets and Deployments make pods with volumes on %s, which go with them",
  async (_, flags) => {
    const run = world.start(flags, { KUBEBUILDER_ASSETS: assets ?? "" });
    await ready(run);
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(run.output())?.[1] ?? "";
    using cluster = clientOf(kubeconfig);
    const { client } = cluster;
    const running = (names: readonly string[]) =>
      until(`${names} to run alone`, async () => {
        const found = (await client.list(Pod, { namespace: "default" })).items.map(({ metadata }) => metadata?.name ?? "");
        return (await runningPods(client)).length === names.length && found.sort().join() === names.join();
      });
    const folder = (pod: string) => join(dirname(kubeconfig), "pods/default", pod, "data");

    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const volumeClaimTemplates = [{ metadata: { name: "data" }, spec }];
    await client.create(StatefulSet, workload("db", { replicas: 2, serviceName: "db", volumeClaimTemplates }));
    await running(["db-0", "db-1"]);
    writeFileSync(join(folder("db-1"), "file"), "kept");
    await client.patch(StatefulSet, inDefault("db"), mergePatch({ spec: { replicas: 1 } }));
    await running(["db-0"]);
    await client.patch(StatefulSet, inDefault("db"), mergePatch({ spec: { replicas: 2 } }));
    await running(["db-0", "db-1"]);
    expect(existsSync(join(folder("db-1"), "file"))).toBe(true);
    await client.delete(StatefulSet, inDefault("db"), { propagationPolicy: "Background" });
    await running([]);
    expect((await client.list(PersistentVolumeClaim, { namespace: "default" })).items).toHaveLength(2);

    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }];
    const mounting = { ...template, spec: { ...template.spec, volumes } };
    await client.create(Deployment, workload("web", { replicas: 1, template: mounting }));
    const [pod] = await until("the pod of the deployment", async () => {
      const found = await runningPods(client);
      return found.length === 1 && found;
    });
    expect(existsSync(folder(pod?.metadata?.name ?? ""))).toBe(true);
    await client.delete(Deployment, inDefault("web"), { propagationPolicy: "Background" });
    await running([]);
    expect(await interrupt(run)).toBe(0);
    expect(world.leftovers()).toEqual([]);
  },
  120_000,
);
