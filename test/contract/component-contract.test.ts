import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Component, uint } from "@csi-sidecars/host";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { templateSidecar } from "../../tools/new-component/template/component.ts";
import { contractProblems } from "./component-contract.ts";

const root = join(import.meta.dirname, "../..");
const template = join(root, "tools/new-component/template");

test.each(components.map((component) => [component.name, component] as const))("%s keeps the contract", (name, component) => {
  expect(contractProblems(component, join(root, "components", name))).toEqual([]);
});

describe("the contract", () => {
  const problems = (changes: object) => contractProblems({ ...templateSidecar, ...changes } as Component, template);
  const rules = (rule: object) => ({
    rbac: () => ({ cluster: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"], ...rule }], namespaced: [] }),
  });

  test.each([
    ["a component as it should be", {}, []],
    ["an alias that is its name", { aliases: ["template-sidecar"] }, ["a name is there twice"]],
    ["a name that no flag can begin with", { aliases: ["Template"] }, ["Template is no name of a controller"]],
    ["an elected component without a lease", { legacyLease: undefined }, ["it is elected, and its program has no lease"]],
    ["a rule with a wildcard", rules({ verbs: ["*"] }), ["a rule has a wildcard"]],
    ["a rule that grants", rules({ apiGroups: ["rbac.authorization.k8s.io"] }), ["a rule is about roles"]],
    ["rules without a use", { kube: false }, ["it has rules, and does not talk to the API server"]],
    ["a rule for an unknown gate", rules({ gate: "Strange" }), ["a rule is for the gate Strange, which it does not have"]],
    ["flags that the README does not have", { flags: { other: uint(1, "Other.") } }, ["README.md does not have its flags as they are"]],
  ])("judges %s", (_, changes, expected) => {
    expect(problems(changes)).toEqual(expected);
  });

  test("asks for the files of a package", () => {
    expect(contractProblems(templateSidecar, join(root, "components"))).toEqual(
      ["package.json", "README.md", "component.ts"].map((name) => `${name} is missing`),
    );
    expect(contractProblems(templateSidecar, join(root, "components/attacher"))).toEqual([
      "package.json is about @csi-sidecars/attacher",
      "README.md does not have its flags as they are",
    ]);
  });
});
