import { describe, expect, test } from "bun:test";
import { projectorFor, type V1Pod } from "@csi-sidecars/kube";
import { type Pod, podFields } from "../../fields.ts";
import { claimsOf } from "./pods-by-claim.ts";

type Volumes = NonNullable<V1Pod["spec"]>["volumes"];

/** As the cache holds it. */
function pod(volumes: Volumes, phase?: string): Pod {
  const spec = { containers: [{ name: "c", image: "i" }], ...(volumes && { volumes }) };
  return projectorFor(podFields)({ metadata: { namespace: "ns", name: "web", uid: "u" }, spec, status: phase ? { phase } : {} } as V1Pod);
}

const claim = (claimName: string) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } });
const template = { spec: { resources: { requests: { storage: "1Gi" } } } };

describe("claimsOf", () => {
  test.each<[string, Pod, string[]]>([
    ["claims", pod([claim("a"), claim("b")], "Running"), ["ns/a", "ns/b"]],
    ["a pod that has not started", pod([claim("a")]), ["ns/a"]],
    ["a pod that is pending", pod([claim("a")], "Pending"), ["ns/a"]],
    ["a pod that succeeded", pod([claim("a")], "Succeeded"), []],
    ["a pod that failed", pod([claim("a")], "Failed"), []],
    ["an ephemeral volume", pod([{ name: "scratch", ephemeral: { volumeClaimTemplate: template } }], "Running"), ["ns/web-scratch"]],
    ["other volumes", pod([{ name: "tmp", emptyDir: {} }], "Running"), []],
    ["no volumes", pod(undefined, "Running"), []],
  ])("%s", (_what, object, expected) => {
    expect(claimsOf(object)).toEqual(expected);
  });

  test("nothing is kept of a pod beside what tells its claims", () => {
    const kept = pod([{ name: "scratch", ephemeral: { volumeClaimTemplate: template } }, claim("a")], "Running");
    expect(JSON.parse(JSON.stringify(kept))).toEqual({
      metadata: { name: "web", namespace: "ns", uid: "u", resourceVersion: "" },
      spec: {
        volumes: [
          { name: "scratch", ephemeral: {} },
          { name: "v-a", persistentVolumeClaim: { claimName: "a" } },
        ],
      },
      status: { phase: "Running" },
    });
  });
});
