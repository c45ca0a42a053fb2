import { describe, expect, test } from "bun:test";
import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";
import { isClaimOurs, requestedBytes } from "./claims.ts";

const driver = { name: "csi.example.com", inTreeName: "kubernetes.io/example" };

describe("whose claim it is", () => {
  test.each<[string, Record<string, string>, boolean]>([
    ["not annotated", {}, false],
    ["the driver's", { [annotation.provisioner]: driver.name }, true],
    ["the driver's, by the beta annotation", { [annotation.betaProvisioner]: driver.name }, true],
    ["another driver's", { [annotation.provisioner]: "other.example.com" }, false],
    ["the stable annotation wins", { [annotation.provisioner]: "other.example.com", [annotation.betaProvisioner]: driver.name }, false],
    ["the in-tree plugin's, not migrated", { [annotation.provisioner]: driver.inTreeName }, false],
    ["the in-tree plugin's, migrated", { [annotation.provisioner]: driver.inTreeName, [annotation.migratedTo]: driver.name }, true],
    ["another plugin's, migrated to us", { [annotation.provisioner]: "kubernetes.io/other", [annotation.migratedTo]: driver.name }, false],
  ])("%s", (_, annotations, ours) => {
    expect(isClaimOurs({ metadata: { annotations } }, driver)).toBe(ours);
  });
});

test("a claim requests bytes", () => {
  expect(requestedBytes({ spec: { resources: { requests: { storage: "1Gi" } } } })).toBe(2n ** 30n);
});
