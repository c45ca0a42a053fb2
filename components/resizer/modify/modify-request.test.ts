import { describe, expect, test } from "bun:test";
import { cachedClaim, cachedVolume } from "../testing/objects.ts";
import { modifyRequest, modifySecret } from "./modify-request.ts";
import { attributesClass } from "./testing/attributes-class.ts";

const annotations = (name: string, namespace: string) => ({
  "volume.kubernetes.io/controller-modify-secret-name": name,
  "volume.kubernetes.io/controller-modify-secret-namespace": namespace,
});
const csi = { driver: "csi.example.com", volumeHandle: "h", controllerExpandSecretRef: { name: "expand", namespace: "ns" } };

describe("the secret", () => {
  test.each<[string, Parameters<typeof cachedVolume>[0], object | undefined]>([
    ["none", {}, undefined],
    ["of expanding", { volume: { spec: { csi } } }, { name: "expand", namespace: "ns" }],
    ["of modifying", { volume: { metadata: { annotations: annotations("modify", "kube") } } }, { name: "modify", namespace: "kube" }],
    [
      "of modifying before that of expanding",
      { volume: { metadata: { annotations: annotations("modify", "kube") }, spec: { csi } } },
      { name: "modify", namespace: "kube" },
    ],
    [
      "half of one does not count",
      { volume: { metadata: { annotations: annotations("modify", "") }, spec: { csi } } },
      { name: "expand", namespace: "ns" },
    ],
  ])("%s", (_, parts, expected) => expect(modifySecret(cachedVolume(parts))).toEqual(expected as never));
});

describe("the parameters", () => {
  const gold = attributesClass("gold", { iops: "3" });
  const modification = { claim: cachedClaim(), volume: cachedVolume(), class: gold };
  const names = {
    "csi.storage.k8s.io/pvc/name": "data",
    "csi.storage.k8s.io/pvc/namespace": "default",
    "csi.storage.k8s.io/pv/name": "pv-data",
  };

  test("are those of the class", () => {
    expect(modifyRequest(modification, { extraMetadata: false })).toEqual({ volumeId: "handle-data", mutableParameters: { iops: "3" } });
  });

  test("get the names of the objects on a copy", () => {
    expect(modifyRequest(modification, { extraMetadata: true }).mutableParameters).toEqual({ iops: "3", ...names });
    expect(gold.parameters).toEqual({ iops: "3" });
  });

  test("may be none", () => {
    const { parameters: _, ...none } = gold;
    expect(modifyRequest({ ...modification, class: none }, { extraMetadata: true }).mutableParameters).toEqual(names);
    expect(modifyRequest({ ...modification, class: none }, { extraMetadata: false }).mutableParameters).toEqual({});
  });
});
