import { afterAll, expect, test } from "bun:test";
import { mergePatch, PersistentVolumeClaim, Pod } from "@csi-sidecars/kube";
import { stopSharedClusters } from "../../cluster/start-cluster.ts";
import { creating, inDefault } from "../testing/manifests.ts";
import { type StorageCluster, startStorageCluster } from "../testing/storage-cluster.ts";
import { Deployment, ReplicaSet, StatefulSet } from "./workload-kinds.ts";

afterAll(stopSharedClusters);

const controllers = ["statefulset", "deployment", "replicaset", "scheduler", "kubelet"] as const;
const template = (app: string, image = "app:1") => ({ metadata: { labels: { app } }, spec: { containers: [{ name: "main", image }] } });
const selector = (app: string) => ({ matchLabels: { app } });

const podsOf = async ({ client }: StorageCluster, app: string) =>
  (await client.list(Pod, { namespace: "default", labelSelector: `app=${app}` })).items.filter((pod) => !pod.metadata?.deletionTimestamp);

test("the pods of a StatefulSet start in order with volumes that they find again", async () => {
  await using cluster = await startStorageCluster({ only: controllers });
  const { client, until, untilGone, untilEvent } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.node("n1");
  await create.volume("disk-0", "manual", { claimRef: inDefault("data-db-0") });
  await create.volume("disk-1", "manual", { claimRef: inDefault("data-db-1") });
  const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } }, storageClassName: "manual" };
  await client.create(StatefulSet, {
    metadata: inDefault("db"),
    spec: {
      ...{ replicas: 2, serviceName: "db", selector: selector("db"), template: template("db") },
      volumeClaimTemplates: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec }],
    },
  });
  await until(StatefulSet, inDefault("db"), ({ status }) => status?.readyReplicas === 2 && status.observedGeneration === 1);
  const [first, second] = [await client.get(Pod, inDefault("db-0")), await client.get(Pod, inDefault("db-1"))];
  expect(Date.parse(first.status?.startTime ?? "")).toBeLessThanOrEqual(Date.parse(second.metadata?.creationTimestamp ?? ""));
  expect(await untilEvent("db", "SuccessfulCreate")).toStartWith("Created ");

  await client.patch(StatefulSet, inDefault("db"), mergePatch({ spec: { replicas: 1 } }));
  await untilGone(Pod, inDefault("db-1"));
  expect((await client.get(PersistentVolumeClaim, inDefault("data-db-1"))).status?.phase).toBe("Bound");
  await client.patch(StatefulSet, inDefault("db"), mergePatch({ spec: { replicas: 2, template: template("db", "app:2") } }));
  await until(StatefulSet, inDefault("db"), ({ metadata, status }) => {
    const isRolledOut = status?.observedGeneration === metadata?.generation && status?.currentRevision === status?.updateRevision;
    return isRolledOut && status?.updatedReplicas === 2 && status.readyReplicas === 2;
  });
  const again = await client.get(Pod, inDefault("db-1"));
  expect(again.spec?.containers[0]?.image).toBe("app:2");
  expect(again.spec?.volumes?.[0]).toMatchObject({ name: "data", persistentVolumeClaim: { claimName: "data-db-1" } });
}, 60_000);

test("a Deployment makes pods, replaces them with a new template, and scales", async () => {
  await using cluster = await startStorageCluster({ only: controllers });
  const { client, until } = cluster;
  await creating(cluster).node("n1");
  await client.create(Deployment, {
    metadata: inDefault("web"),
    spec: { replicas: 2, selector: selector("web"), template: template("web") },
  });
  const rolledOut = () =>
    until(Deployment, inDefault("web"), ({ metadata, spec, status }) => {
      const counts = [status?.updatedReplicas, status?.availableReplicas, status?.replicas];
      return status?.observedGeneration === metadata?.generation && counts.every((count) => count === spec?.replicas);
    });
  const first = await rolledOut();
  expect(first.status?.conditions?.map(({ type, status }) => `${type} ${status}`).sort()).toEqual(["Available True", "Progressing True"]);
  const [pod] = await podsOf(cluster, "web");
  const [owner] = pod?.metadata?.ownerReferences ?? [];
  expect(owner?.kind).toBe("ReplicaSet");

  await client.patch(Deployment, inDefault("web"), mergePatch({ spec: { replicas: 3, template: template("web", "app:2") } }));
  await rolledOut();
  const images = (await podsOf(cluster, "web")).map(({ spec }) => spec?.containers[0]?.image);
  expect(images).toEqual(["app:2", "app:2", "app:2"]);
  const sets = (await client.list(ReplicaSet, { namespace: "default" })).items;
  expect(sets.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 3]);
  expect((await client.get(Deployment, inDefault("web"))).metadata?.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
}, 60_000);

test("what cannot be made is told in an event", async () => {
  await using cluster = await startStorageCluster({ only: controllers });
  const { client, untilEvent } = cluster;
  const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  const metadata = { name: "data", labels: { role: "not a label" } };
  await client.create(StatefulSet, {
    metadata: inDefault("db"),
    spec: {
      ...{ replicas: 1, serviceName: "db", selector: selector("db"), template: template("db") },
      volumeClaimTemplates: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec }],
    },
  });
  expect(await untilEvent("db", "FailedCreate")).toStartWith(
    'Cannot create a PersistentVolumeClaim: PersistentVolumeClaim "data-db-0" is invalid: metadata.labels: Invalid value: "not a label":',
  );
}, 60_000);
