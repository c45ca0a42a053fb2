import { afterAll, beforeAll, expect, test } from "bun:test";
import { isAlreadyExists, Namespace } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { type Manifest, manifestFiles, manifestsIn, workloadIn } from "../../tools/generate-deploy/manifests.ts";

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
    expect(await dryRun(manifest)).toMatchObject({
      kind: manifest.kind,
      metadata: { name },
    });
  },
);

test("a misspelt field of a manifest is noticed", async () => {
  const deployment = workloadIn("controller.yaml");
  const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } };
  await expect(dryRun(misspelt)).rejects.toThrow(/unknown field "spec.replica"/);
});

/** What the server would store. */
async function dryRun(manifest: Manifest): Promise<Manifest> {
  const { apiVersion, kind, metadata } = manifest;
  const resource = (await cluster.admin.discover(apiVersion))?.find((served) => served.kind === kind && !served.name.includes("/"));
  if (!resource) throw new Error(`the server has no ${kind} in ${apiVersion}`);
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace ? `/namespaces/${metadata.namespace}` : "";
  return cluster.admin.raw("POST", `${group}${scope}/${resource.name}?dryRun=All&fieldValidation=Strict`, manifest);
}
