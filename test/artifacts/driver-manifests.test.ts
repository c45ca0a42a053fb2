import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlreadyExists, Namespace } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";
import { expand, staticVariables } from "../../packages/diagnose/translate/container.ts";
import { drivers, driversFolder, translated } from "../../tools/generate-deploy/driver-manifests.ts";
import { settingsOf } from "../diagnose/translate/testing/translate.ts";
import { dryRun } from "./testing/dry-run.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.admin.create(Namespace, { metadata: { name: "kube-system" } }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const read = (driver: string, file: string) => readFileSync(join(driversFolder, driver, file), "utf8");
const objectsIn = (yaml: string) => parseAllDocuments(yaml).map((document) => document.toJS());

describe.each(drivers)("deploy/drivers/%s", (driver) => {
  test("after.yaml is what translate makes of before.yaml; else run npm run generate:deploy", () => {
    expect(read(driver, "after.yaml")).toBe(translated(driver));
  });

  test.each(["before.yaml", "after.yaml"])("the API server takes every object in %s", async (file) => {
    for (const object of objectsIn(read(driver, file))) expect(await dryRun(cluster, object)).toMatchObject({ kind: object.kind });
  });

  test("the program takes the arguments in after.yaml without warnings", () => {
    const containers = objectsIn(read(driver, "after.yaml")).flatMap((object) => object.spec?.template?.spec.containers ?? []);
    const ours = containers.filter(({ name }) => name === "csi-sidecars");
    expect(ours.length).toBeGreaterThan(0);
    for (const container of ours) {
      const variables = new Map([...staticVariables(container), ["POD_NAMESPACE", "kube-system"]]);
      const warnings = settingsOf(container.args.map((word: string) => expand(word, variables))).warnings;
      // The old flag of livenessprobe's port comes along as it was.
      expect(warnings.filter((text) => !text.includes("--livenessprobe-health-port is deprecated"))).toEqual([]);
    }
  });
});
