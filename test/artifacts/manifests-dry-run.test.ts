import { afterAll, beforeAll, expect, test } from "bun:test";
import { isAlreadyExists, Namespace } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { manifestFiles, manifestsIn, workloadIn } from "../../tools/generate-deploy/manifests.ts";
import { dryRun } from "./testing/dry-run.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  // A dry run stores nothing, and what lies in a namespace needs it.
  const [namespace] = manifestsIn("namespace.yaml");
  await cluster.admin.create(Namespace, { ...namespace }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const all = manifestFiles()
  .filter((file) => file !== "namespace.yaml")
  .flatMap((file) => manifestsIn(file));

test.each(all.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
  "the API server takes %s %s",
  async (_kind, name, manifest) => {
    // The embedded server has the kinds of storage, and those that an example needs.
    if (cluster.embedded && !(await cluster.admin.discover(manifest.apiVersion))) return;
    expect(await dryRun(cluster, manifest)).toMatchObject({
      kind: manifest.kind,
      metadata: { name },
    });
  },
);

test("a misspelt field of a manifest is noticed", async () => {
  const deployment = workloadIn("controller.yaml");
  const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } };
  await expect(dryRun(cluster, misspelt)).rejects.toThrow(/unknown field "spec.replica"/);
});
