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

  const pods = objectsIn(read(driver, "after.yaml")).flatMap((object) => object.spec?.template?.spec ?? []);
  const sidecars = pods
    .flatMap((pod) => pod.containers.map((container: { readonly name: string }) => ({ pod, container })))
    .filter(({ container }) => container.name === "csi-sidecars")
    .map(({ pod, container }) => {
      const variables = new Map([...staticVariables(container), ["POD_NAMESPACE", "kube-system"]]);
      return { pod, settings: settingsOf(container.args.map((word: string) => expand(word, variables))) };
    });

  test("the program takes the arguments in after.yaml without warnings", () => {
    expect(sidecars.length).toBeGreaterThan(0);
    for (const { settings } of sidecars) {
      // The old flag of livenessprobe's port comes along as it was.
      expect(settings.warnings.filter((text) => !text.includes("--livenessprobe-health-port is deprecated"))).toEqual([]);
    }
  });

  test("the kubelet lets an elected process in after.yaml release its lease", () => {
    for (const { pod, settings } of sidecars) {
      const { leaderElection, shutdownTimeout } = settings.process;
      if (leaderElection) expect(shutdownTimeout).toBeLessThan((pod.terminationGracePeriodSeconds ?? 30) * 1000);
    }
  });
});
