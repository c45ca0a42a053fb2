import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Manifest, manifestsFolder } from "../../tools/generate-deploy/manifests.ts";
import { findKubectl } from "../integration/testing/find-kubectl.ts";
import { Charts, helmIsMissing } from "./testing/helm.ts";
import { type PodOwner, podOwners } from "./testing/pods.ts";

const kubectl = findKubectl(process.env);
const missing = helmIsMissing || (kubectl.path === undefined ? ` (skipped: ${kubectl.missing})` : "");

/** What a base and a chart must have in common; names, accounts and labels differ. */
function essence({ spec }: PodOwner) {
  const { containers, serviceAccountName: _, topologySpreadConstraints = [], ...pod } = spec.template.spec;
  return {
    replicas: spec.replicas ?? null,
    ...pod,
    topologySpreadConstraints: topologySpreadConstraints.map(({ labelSelector: _, ...spread }) => spread),
    containers: containers.map(({ args, env = [], ...container }) => ({ ...container, args: args.toSorted() })),
  };
}

describe.skipIf(missing !== "")(`the bases in deploy/kubernetes and the charts${missing}`, () => {
  let charts: Charts;
  beforeAll(async () => {
    charts = await Charts.copy();
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  function kustomize(base: string): readonly Manifest[] {
    const { stdout, stderr, exitCode } = Bun.spawnSync([kubectl.path ?? "", "kustomize", join(manifestsFolder, base)]);
    if (exitCode !== 0) throw new Error(`${stderr}`);
    return parseAllDocuments(stdout.toString()).map((document): Manifest => document.toJS());
  }

  test.each([
    [".", "example-driver"],
    ["snapshot-controller", "snapshot-controller"],
  ])("%s makes the same pods as the chart %s", async (base, chart) => {
    const bases = podOwners(kustomize(base));
    const rendered = podOwners(await charts.render(chart, {}));
    expect(bases.length).toBe(rendered.length);
    for (const one of bases) {
      const other = rendered.find(({ kind }) => kind === one.kind)!;
      expect(essence(other)).toMatchObject(essence(one));
    }
  });

  test.each([
    [".", "example-driver"],
    ["snapshot-controller", "snapshot-controller"],
  ])("%s has the same kinds of objects as the chart %s", async (base, chart) => {
    const kinds = (manifests: readonly Manifest[]) =>
      [...new Set(manifests.map(({ kind }) => kind))].filter((kind) => !["Namespace", "CustomResourceDefinition"].includes(kind)).sort();
    expect(kinds(await charts.render(chart, {}))).toEqual(kinds(kustomize(base)));
  });
});
