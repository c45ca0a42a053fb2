import { describe, expect, test } from "bun:test";
import { readsAnnotations, type SecretPurpose, secretReference, secretReferences } from "./secret-references.ts";
import { expandTemplate } from "./secret-templates.ts";

/** A token of a template in a class. */
const token = (name: string) => `\${${name}}`;

const prefixed = (key: string) => `csi.storage.k8s.io/${key}`;
const subjects = { volume: "pv-1", claim: { name: "data", namespace: "team", annotations: { who: "me", "a.b/c": "slash" } } };
const pair = (stem: string, name: string, namespace: string) => ({
  [prefixed(`${stem}-name`)]: name,
  [prefixed(`${stem}-namespace`)]: namespace,
});
const wrapped = (text: string) => ({ error: `failed to get name and namespace template from params: ${text}` });

type Case = readonly [string, SecretPurpose, Record<string, string>, object];

describe("the secret that a class names", () => {
  test.each<Case>([
    ["none", "provisioner", {}, { value: undefined }],
    ["for another purpose", "nodeStage", pair("node-publish-secret", "a", "b"), { value: undefined }],
    ["plain", "nodeStage", pair("node-stage-secret", "a", "b"), { value: { name: "a", namespace: "b" } }],
    [
      "old keys",
      "provisioner",
      { csiProvisionerSecretName: "a", csiProvisionerSecretNamespace: "b" },
      { value: { name: "a", namespace: "b" } },
    ],
    [
      "old and new mixed",
      "provisioner",
      { csiProvisionerSecretName: "a", [prefixed("provisioner-secret-namespace")]: "b" },
      { value: { name: "a", namespace: "b" } },
    ],
    ["for all purposes", "controllerModify", pair("secret", "a", "b"), { value: { name: "a", namespace: "b" } }],
    [
      "own before common",
      "nodeExpand",
      { ...pair("secret", "a", "b"), ...pair("node-expand-secret", "c", "d") },
      { value: { name: "c", namespace: "d" } },
    ],
    [
      "templates",
      "provisioner",
      pair("provisioner-secret", `${token("pv.name")}-${token("pvc.name")}`, token("pvc.namespace")),
      { value: { name: "pv-1-data", namespace: "team" } },
    ],
    [
      "an annotation",
      "provisioner",
      pair("provisioner-secret", token("pvc.annotations['a.b/c']"), "x"),
      { value: { name: "slash", namespace: "x" } },
    ],
    [
      "twice",
      "provisioner",
      { ...pair("provisioner-secret", "a", "b"), csiProvisionerSecretName: "c" },
      wrapped('Provisioner secrets specified in parameters with both "csi" and "csi.storage.k8s.io/" keys'),
    ],
    [
      "a name alone",
      "nodePublish",
      { [prefixed("node-publish-secret-name")]: "a" },
      wrapped("either name and namespace for NodePublish secrets specified, Both must be specified"),
    ],
    [
      "a namespace alone",
      "controllerPublish",
      { csiControllerPublishSecretNamespace: "a" },
      wrapped("either name and namespace for ControllerPublish secrets specified, Both must be specified"),
    ],
    [
      "an empty name",
      "controllerExpand",
      pair("controller-expand-secret", "", "b"),
      wrapped("ControllerExpand secrets specified in parameters but value of either namespace or name is empty"),
    ],
    [
      "an empty namespace",
      "nodeStage",
      { csiNodeStageSecretName: "a", csiNodeStageSecretNamespace: "" },
      wrapped("NodeStage secrets specified in parameters but value of either namespace or name is empty"),
    ],
    [
      "new and old mixed",
      "nodePublish",
      { [prefixed("node-publish-secret-name")]: "a", csiNodePublishSecretNamespace: "b" },
      { value: { name: "a", namespace: "b" } },
    ],
    [
      "a namespace twice",
      "controllerPublish",
      { ...pair("controller-publish-secret", "a", "b"), csiControllerPublishSecretNamespace: "c" },
      wrapped('ControllerPublish secrets specified in parameters with both "csi" and "csi.storage.k8s.io/" keys'),
    ],
    [
      "a namespace that is too long",
      "provisioner",
      pair("provisioner-secret", "a", "n".repeat(64)),
      { error: `"${"n".repeat(64)}" is not a valid namespace name` },
    ],
    [
      "an annotation that the claim does not have",
      "provisioner",
      pair("provisioner-secret", token("pvc.annotations['none']"), "b"),
      { error: `error resolving value "${token("pvc.annotations['none']")}": invalid tokens: ["pvc.annotations['none']"]` },
    ],
    [
      "an annotation as namespace",
      "provisioner",
      pair("provisioner-secret", "a", token("pvc.annotations['who']")),
      { error: `error resolving value "${token("pvc.annotations['who']")}": invalid tokens: ["pvc.annotations['who']"]` },
    ],
    [
      "a common name alone",
      "provisioner",
      { [prefixed("secret-name")]: "a" },
      {
        error:
          "failed to get default name and namespace template from params: either name and namespace for Default secrets specified, Both must be specified",
      },
    ],
    [
      "unknown tokens",
      "provisioner",
      pair("provisioner-secret", `${token("z")}${token("a")}`, "b"),
      { error: `error resolving value "${token("z")}${token("a")}": invalid tokens: ["a" "z"]` },
    ],
    [
      "a claim's name as namespace",
      "provisioner",
      pair("provisioner-secret", "a", token("pvc.name")),
      { error: `error resolving value "${token("pvc.name")}": invalid tokens: ["pvc.name"]` },
    ],
    ["no valid name", "provisioner", pair("provisioner-secret", "A b", "b"), { error: '"A b" is not a valid secret name' }],
    [
      "no valid namespace after all",
      "provisioner",
      pair("provisioner-secret", "a", `${token("pvc.namespace")}.x`),
      { error: `"${token("pvc.namespace")}.x" resolved to "team.x" which is not a valid namespace name` },
    ],
  ])("%s", (_, purpose, parameters, expected) => {
    expect(secretReference(purpose, parameters, subjects)).toEqual(expected as never);
  });

  test("one for all purposes, also as a template", () => {
    const found = secretReferences(pair("secret", `${token("pvc.name")}-key`, token("pvc.namespace")), subjects);
    const all = ["provisioner", "controllerPublish", "nodeStage", "nodePublish", "controllerExpand", "nodeExpand", "controllerModify"];
    const key = { name: "data-key", namespace: "team" };
    expect(found).toEqual({ value: Object.fromEntries(all.map((purpose) => [purpose, key])) });
  });

  test("without a claim only the volume can be spoken of", () => {
    expect(secretReference("provisioner", pair("provisioner-secret", token("pv.name"), "b"), { volume: "v" })).toEqual({
      value: { name: "v", namespace: "b" },
    });
    expect(secretReference("provisioner", pair("provisioner-secret", token("pvc.name"), "b"), { volume: "v" }).error).toContain(
      "invalid tokens",
    );
  });

  test("whether annotations are needed is known beforehand", () => {
    expect(readsAnnotations(pair("secret", token("pvc.annotations['x']"), "b"))).toBe(true);
    expect(readsAnnotations({ csiProvisionerSecretName: token("pvc.annotations['x']") })).toBe(true);
    expect(readsAnnotations(pair("secret", token("pvc.name"), "b"))).toBe(false);
  });
});

describe("templates are expanded as a shell would", () => {
  const tokens = new Map([
    ["a", "1"],
    ["b_2", "2"],
    ["*", "star"],
    ["x.y", "dotted"],
  ]);
  test.each([
    ["", ""],
    ["plain", "plain"],
    [token("a"), "1"],
    ["$a-$b_2", "1-2"],
    ["$*", "star"],
    [token("x.y"), "dotted"],
    [`x${token("")}y`, "xy"],
    ["x${", "x"],
    ["end$", "end$"],
    ["a$.b", "a$.b"],
  ])("%p becomes %p", (template, expanded) => {
    expect(expandTemplate(template, tokens)).toEqual({ value: expanded });
  });
});
