import { describe, expect, test } from "bun:test";
import { Code } from "@csi-sidecars/csi";
import { callersKubeconfig } from "./caller-config.ts";
import { type DriverWork, translate } from "./grpc-words.ts";
import { age, listed, plain } from "./plain-text.ts";
import { leadingWords, readQuestion } from "./subject.ts";

test("every code is translated for every kind of work, with what to do", () => {
  for (const work of ["create", "delete", "attach", "detach", "expand", "modify"] satisfies DriverWork[]) {
    for (const code of Object.keys(Code)) {
      const { meaning, remedy } = translate(work, `rpc error: code = ${code} desc = x`);
      expect(meaning).not.toContain("rpc error");
      expect(remedy.length).toBeGreaterThan(5);
    }
  }
});

test.each<[string, string]>([
  ['error getting secret s in namespace n: secrets "s" is forbidden: User "u" cannot get', "right to get that secret"],
  ['error getting secret s in namespace n: secrets "s" not found', "create that secret"],
  ["error generating accessibility requirements: no topology key found for node n1", "CSINode lists the driver"],
  ["claim Selector is not supported", "make the claim anew without spec.selector"],
  ["CSI driver does not support clone operations: controller CLONE_VOLUME capability is not reported", "another driver"],
  ["Unable to expand a/b because CSI driver d only supports offline expansion and volume is currently in-use", "stop the pods"],
  [
    "error generating accessibility requirements: selected node '\"n1\"' topology '[zone=a]' is not in allowed topologies: [[zone=b]]",
    "allowedTopologies",
  ],
  ['volumeattributesclasses.storage.k8s.io "gold" not found', "create that VolumeAttributesClass"],
  ["requested volume a/b modifies the mode of the source volume but does not have permission to do so. x", "allow-volume-mode-change"],
  ["error getting handle for DataSource Type VolumeSnapshot by Name s: snapshot s is not Ready", "csi-snapshotter"],
  ["error getting handle for DataSource Type PersistentVolumeClaim by Name s: claim in dataSource not bound or invalid", "own driver"],
  ["accessing prod/s of VolumeSnapshot dataSource from a/b isn't allowed", "ReferenceGrant"],
  ["the volume exists, but its PersistentVolume cannot be saved: invalid", "the volume is kept"],
  [
    'the volume exists, but its PersistentVolume cannot be saved: another PersistentVolume "pvc-1" is in the way',
    "delete that PersistentVolume",
  ],
  ['the API server does not take the PersistentVolume: PersistentVolume "pvc-1" is invalid: spec.x', "the volume is not kept"],
  ["created volume capacity 5 less than requested capacity 10", "the driver's answer is wrong"],
  ["failed to get name and namespace template from params: either name and namespace for Default secrets specified", "of the class"],
  ["anything else", "do what the message asks for"],
])("what to do about %p", (message, remedy) =>
  expect(translate("create", message)).toMatchObject({ meaning: message, remedy: expect.stringContaining(remedy) }),
);

test("text of others becomes one bearable line", () => {
  expect(plain("a\r\n\tb\x1b]0;x\x07c ")).toBe("a b ]0;x c");
  expect(plain("x".repeat(5_000)).length).toBeLessThan(700);
  expect(listed(["a", "b", "c"])).toBe("a, b and c");
  expect(listed(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
});

test.each<[number, string]>([
  [0, "0s"],
  [90, "90s"],
  [125, "2m"],
  [7_300, "2h"],
  [200_000, "2d"],
])("%p seconds are %s", (seconds, words) => expect(age(seconds * 1000, new Date(0).toISOString())).toBe(words));

describe("what is asked", () => {
  const claim = { kind: "claim", ref: { namespace: "default", name: "data" } } as const;
  test.each<[string, ReturnType<typeof readQuestion>]>([
    ["pvc default/data", claim],
    ["pvc data", claim],
    ["pvc/data", claim],
    ["pvc/default/data", claim],
    ["persistentvolumeclaims default/data", claim],
    ["pv pv-1", { kind: "volume", ref: { name: "pv-1" } }],
    ["VolumeAttachment csi-1", { kind: "attachment", ref: { name: "csi-1" } }],
    ["pod web/app", { kind: "pod", ref: { namespace: "web", name: "app" } }],
  ])("%s", (line, question) => expect(readQuestion(line.split(" "), "default")).toEqual(question));

  test.each<[string, string]>([
    ["", "name what to explain: pvc|pod"],
    ["secret a/b", 'nothing can be said about "secret"'],
    ["pvc", "name one object after pvc"],
    ["pvc a b", "name one object after pvc"],
    ["pvc a/b/c", '"a/b/c" is not a name with a namespace'],
    ["pv a/b", '"a/b" is not a name'],
    ["pvc a/", '"a/" is not a name'],
  ])("refuses %p", (line, message) => {
    expect(() => readQuestion(line === "" ? [] : line.split(" "), "default")).toThrow(message);
  });

  test("flags follow the words", () => {
    expect(leadingWords(["pvc", "a/b", "-o", "json"])).toEqual({ asked: ["pvc", "a/b"], flags: ["-o", "json"] });
  });
});

test.each<[string, string, Record<string, string>, string]>([
  ["the flag", "/given", { HOME: "/home/me" }, "/given"],
  ["the variable", "", { HOME: "/home/me", KUBECONFIG: "/var" }, ""],
  ["in a pod", "", { HOME: "/home/me", KUBERNETES_SERVICE_HOST: "10.0.0.1" }, ""],
  ["by hand", "", { HOME: "/home/me" }, "/home/me/.kube/config"],
  ["by hand, without one", "", { HOME: "/home/you" }, ""],
])("which kubeconfig counts: %s", (_, flag, env, path) => {
  const files = {
    read(name: string) {
      if (name.startsWith("/home/me/")) return "";
      throw new Error("no such file");
    },
  };
  expect(callersKubeconfig(flag, env, files)).toBe(path);
});
