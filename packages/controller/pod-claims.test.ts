import { describe, expect, test } from "bun:test";
import { claimsOf, ownsClaim } from "./pod-claims.ts";

type PodVolumes = Parameters<typeof claimsOf>[0];
type Volumes = NonNullable<NonNullable<PodVolumes["spec"]>["volumes"]>;

const pod = (volumes: Volumes | undefined, phase?: string): PodVolumes => ({
  metadata: { namespace: "ns", name: "web" },
  spec: volumes ? { volumes } : {},
  ...(phase && { status: { phase } }),
});
const claim = (claimName: string) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } });
const used = (name: string) => ({ key: `ns/${name}`, ephemeral: false });

describe("claimsOf", () => {
  test.each<[string, PodVolumes, ReturnType<typeof claimsOf>]>([
    ["claims", pod([claim("a"), claim("b")], "Running"), [used("a"), used("b")]],
    ["a pod that has not started", pod([claim("a")]), [used("a")]],
    ["a pod that is pending", pod([claim("a")], "Pending"), [used("a")]],
    ["a pod that succeeded", pod([claim("a")], "Succeeded"), []],
    ["a pod that failed", pod([claim("a")], "Failed"), []],
    ["an ephemeral volume", pod([{ name: "scratch", ephemeral: {} }], "Running"), [{ key: "ns/web-scratch", ephemeral: true }]],
    ["other volumes", pod([{ name: "tmp" }], "Running"), []],
    ["no volumes", pod(undefined, "Running"), []],
  ])("%s", (_what, object, expected) => {
    expect(claimsOf(object)).toEqual(expected);
  });
});

test("ownsClaim: only by uid", () => {
  const owned = { metadata: { ownerReferences: [{ uid: "other" }, { uid: "mine" }] } };
  expect(ownsClaim({ metadata: { uid: "mine" } }, owned)).toBe(true);
  expect(ownsClaim({ metadata: { uid: "else" } }, owned)).toBe(false);
  expect(ownsClaim({ metadata: { uid: "mine" } }, { metadata: {} })).toBe(false);
});
