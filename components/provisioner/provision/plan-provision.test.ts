import { describe, expect, test } from "bun:test";
import type { Claim, Class } from "../fields.ts";
import { cachedClaim, cachedClass } from "../testing/cached.ts";
import { driverName } from "../testing/manifests.ts";
import { planProvision } from "./plan-provision.ts";

const names = { name: driverName, inTreeName: "kubernetes.io/old" };
const ga = "volume.kubernetes.io/storage-provisioner";
const beta = "volume.beta.kubernetes.io/storage-provisioner";
const migratedTo = "pv.kubernetes.io/migrated-to";
const selectedNode = "volume.kubernetes.io/selected-node";
const annotated = (annotations: Record<string, string>) => cachedClaim({ metadata: { annotations } });

describe("whether a volume is made for a claim", () => {
  const late = cachedClass({ volumeBindingMode: "WaitForFirstConsumer" });
  test.each<[string, Claim, Class | undefined, string]>([
    ["left to us", cachedClaim(), cachedClass(), "provision"],
    ["left to us, beta annotation", annotated({ [beta]: driverName }), cachedClass(), "provision"],
    ["bound", cachedClaim({ spec: { volumeName: "pv" } }), cachedClass(), "bound"],
    ["nobody's yet", annotated({}), cachedClass(), "not ours"],
    ["somebody else's", annotated({ [ga]: "other" }), cachedClass(), "not ours"],
    ["somebody else's, though the beta annotation is ours", annotated({ [ga]: "other", [beta]: driverName }), cachedClass(), "not ours"],
    [
      "migrated to us",
      annotated({ [ga]: names.inTreeName, [migratedTo]: driverName }),
      cachedClass({ provisioner: names.inTreeName }),
      "provision",
    ],
    ["in-tree, not migrated", annotated({ [ga]: names.inTreeName }), cachedClass({ provisioner: names.inTreeName }), "not ours"],
    [
      "of another plugin that was migrated to us",
      annotated({ [ga]: "kubernetes.io/other", [migratedTo]: driverName }),
      cachedClass(),
      "not ours",
    ],
    ["without its class", cachedClaim(), undefined, 'storageClass "fast" not found'],
    ["of a class that is not ours", cachedClaim(), cachedClass({ provisioner: "other" }), "foreign class"],
    ["late binding, no node", cachedClaim(), late, "no node selected"],
    ["late binding, empty node", annotated({ [ga]: driverName, [selectedNode]: "" }), late, "no node selected"],
    ["late binding, node", annotated({ [ga]: driverName, [selectedNode]: "n" }), late, "provision"],
    [
      "being deleted",
      cachedClaim({ metadata: { ...annotated({ [ga]: driverName }).metadata, deletionTimestamp: "now" } }),
      cachedClass(),
      "provision",
    ],
  ])("%s", (_, claim, of, expected) => {
    const plan = planProvision(claim, () => of, names);
    expect(plan.step === "none" ? plan.because : plan.step === "report" ? plan.message : plan.step).toBe(expected as never);
  });

  test("late binding, no node, and the scheduler selects none any more", () => {
    const plan = planProvision(cachedClaim(), () => late, names, { needsNode: false });
    expect(plan).toMatchObject({ step: "provision", selectedNode: undefined });
  });

  test("the beta annotation names the class before the spec does", () => {
    const asked: string[] = [];
    const claim = annotated({ [ga]: driverName, "volume.beta.kubernetes.io/storage-class": "old" });
    planProvision(claim, (name) => void asked.push(name), names);
    expect(asked).toEqual(["old"]);
  });
});
