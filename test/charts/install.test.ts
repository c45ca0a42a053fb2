import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isNotFound, resource } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { Charts, helmIsMissing, releaseNamespace } from "./testing/helm.ts";

// The embedded server lacks some of the kinds.
const why = helmIsMissing || (process.env.TESTCLUSTER === "real" ? "" : " (skipped: only on a real API server)");

const Definition = resource("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", { namespaced: false });
const Deployment = resource("apps/v1", "deployments", "Deployment", { namespaced: true });
const StatefulSet = resource("apps/v1", "statefulsets", "StatefulSet", { namespaced: true });
const volumeSnapshots = { name: "volumesnapshots.snapshot.storage.k8s.io" };

describe.skipIf(why !== "")(`helm installs${why}`, () => {
  let charts: Charts;
  beforeAll(async () => {
    charts = await Charts.copy();
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  test("the kinds, the snapshot-controller and a driver; removes them, and keeps the kinds", async () => {
    await using cluster = await startCluster();
    const kubeconfig = join(charts.folder, "kubeconfig");
    await writeFile(kubeconfig, cluster.kubeconfig(cluster.adminToken));
    const helm = async (args: readonly string[], values: object = {}) => {
      const about = [`--kubeconfig=${kubeconfig}`, `--namespace=${releaseNamespace}`];
      const { exitCode, stderr } = await charts.helm([...args, ...about], values);
      return { exitCode, stderr: stderr.replaceAll(/^(I|W)\d.*\n/gm, "") };
    };
    const ended = { exitCode: 0, stderr: "" };

    expect(await helm(["install", "snapshots", "./snapshot-controller", "--create-namespace"])).toEqual(ended);
    const hostpath = { volumeSnapshotClass: { create: true } };
    expect(await helm(["install", "hostpath", "./csi-hostpath", "--values=-"], hostpath)).toEqual(ended);
    await cluster.admin.get(StatefulSet, { namespace: releaseNamespace, name: "hostpath-csi-hostpath-controller" });

    const second = await helm(["install", "again", "./snapshot-controller"]);
    expect(second).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/crds\.install: \S+ is installed already, not by this release: set it to false/),
    });

    expect(await helm(["upgrade", "snapshots", "./snapshot-controller", "--values=-"], { controller: { replicas: 3 } })).toEqual(ended);
    const upgraded = await cluster.admin.get(Deployment, { namespace: releaseNamespace, name: "snapshots-snapshot-controller" });
    expect(upgraded).toMatchObject({ spec: { replicas: 3 } });

    expect(await helm(["uninstall", "hostpath"])).toEqual(ended);
    expect(await helm(["uninstall", "snapshots"])).toEqual(ended);
    await cluster.admin.get(Definition, volumeSnapshots);
    const gone = await cluster.admin
      .get(Deployment, { namespace: releaseNamespace, name: "snapshots-snapshot-controller" })
      .catch(isNotFound);
    expect(gone).toBe(true);
    // The next release takes over what this one has kept.
    expect(await helm(["install", "snapshots", "./snapshot-controller"])).toEqual(ended);
  });
});
