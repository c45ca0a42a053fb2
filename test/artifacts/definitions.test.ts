import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { parse } from "yaml";
import { definitionFiles, definitionsFolder } from "../../tools/generate-deploy/definitions.ts";
import { manifestFiles } from "../../tools/generate-deploy/manifests.ts";

const read = (name: string) => readFileSync(join(definitionsFolder, name), "utf8");

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

test("deploy/kubernetes/crds is what packages/crds describes; else run npm run generate:deploy", () => {
  expect(Object.fromEntries(readdirSync(definitionsFolder).map((name) => [name, read(name)]))).toEqual(
    Object.fromEntries(definitionFiles()),
  );
});

test("the kustomization applies all seven definitions", () => {
  const { resources } = parse(read("kustomization.yaml"));
  expect(resources).toHaveLength(7);
  expect(resources.toSorted()).toEqual(manifestFiles(definitionsFolder).toSorted());
});

test.each(manifestFiles(definitionsFolder))("the API server takes %s and knows every field in it", async (name) => {
  const definition = parse(read(name));
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict";
  expect(await cluster.admin.raw("POST", path, definition)).toMatchObject({ metadata: { name: definition.metadata.name } });
});
