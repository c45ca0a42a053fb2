import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { isAlreadyExists, Namespace } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import type { Manifest } from "../../tools/generate-deploy/manifests.ts";
import { dryRun } from "../artifacts/testing/dry-run.ts";
import { foreignDefinitions } from "./testing/foreign-kinds.ts";
import { Charts, helmIsMissing, releaseNamespace } from "./testing/helm.ts";
import { valueSets } from "./testing/value-sets.ts";

const identity = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

describe.skipIf(helmIsMissing !== "")(`what the charts make${helmIsMissing}`, () => {
  let charts: Charts;
  beforeAll(async () => {
    charts = await Charts.copy();
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  test.each(valueSets)("the API server takes all of it: %s: %s", async (_about, chart, values) => {
    const manifests = await charts.render(chart, values);
    const snapshots = chart === "csi-hostpath" ? snapshotDefinitions : [];
    await using cluster = await startCluster({ definitions: [...foreignDefinitions, ...snapshots] });
    // A dry run stores nothing, and what lies in a namespace needs it.
    for (const name of new Set([releaseNamespace, ...manifests.flatMap(({ metadata }) => metadata.namespace ?? [])])) {
      await cluster.admin.create(Namespace, { metadata: { name } }).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    const isKnown = async ({ apiVersion, kind }: Manifest) => {
      // The embedded server has the kinds of storage, and those that an example needs.
      return cluster.flavour === "real" || (await cluster.admin.discover(apiVersion))?.some((served) => served.kind === kind);
    };
    const taken: string[] = [];
    for (const manifest of manifests) {
      if (!(await isKnown(manifest))) continue;
      expect(identity(await dryRun(cluster, manifest))).toBe(identity(manifest));
      taken.push(identity(manifest));
    }
    expect(taken).toEqual(
      expect.arrayContaining(
        manifests
          .filter(({ kind }) => ["Deployment", "DaemonSet", "StatefulSet", "PodMonitor", "StorageClass"].includes(kind))
          .map(identity),
      ),
    );
    if (cluster.flavour === "real") expect(taken).toHaveLength(manifests.length);
  });
});
