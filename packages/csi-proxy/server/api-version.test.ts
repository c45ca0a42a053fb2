import { describe, expect, test } from "bun:test";
import { apiGroups, groupVersions } from "./api-groups.ts";
import { compareApiVersions, parseApiVersion } from "./api-version.ts";

describe("names of versions", () => {
  test.each([
    ["v1", { major: 1, stage: "stable", qualifier: 0 }],
    ["v2alpha7", { major: 2, stage: "alpha", qualifier: 7 }],
    ["v975beta986654", { major: 975, stage: "beta", qualifier: 986654 }],
  ] as const)("%s is one", (name, parts) => {
    expect(parseApiVersion(name)).toEqual({ name, ...parts });
  });

  test.each([["1"], ["v0"], ["v2alpha0"], ["whatever"], [""], ["v01"], ["v1alpha"], ["v1gamma1"], ["V1"], ["v1 "], ["v1\n"]])(
    "%j is none",
    (name) => {
      expect(() => parseApiVersion(name)).toThrow(`invalid version name: ${JSON.stringify(name)}`);
    },
  );
});

describe("order of versions", () => {
  test.each([
    ["v1alpha1", "v1"],
    ["v2alpha7", "v2beta8"],
    ["v7", "v8alpha1"],
    ["v7beta12", "v7"],
    ["v2alpha97", "v2alpha98"],
    ["v3beta4", "v3beta5"],
    ["v3beta9", "v3beta10"],
    ["v1", "v3"],
    ["v1alpha2", "v1beta1"],
    ["v1beta1", "v1"],
    ["v1", "v2alpha1"],
  ])("%s is older than %s", (older, newer) => {
    const [a, b] = [parseApiVersion(older), parseApiVersion(newer)];
    expect([Math.sign(compareApiVersions(a, b)), Math.sign(compareApiVersions(b, a)), compareApiVersions(a, a)]).toEqual([-1, 1, 0]);
  });
});

test("six groups in 23 versions, each group's from old to new", () => {
  expect(apiGroups.map(({ group }) => group as string)).toEqual(["filesystem", "disk", "volume", "smb", "system", "iscsi"]);
  expect(groupVersions).toHaveLength(23);
  for (const { versions } of apiGroups) {
    const parsed = versions.map((version) => parseApiVersion(version));
    expect(parsed.toSorted(compareApiVersions)).toEqual(parsed);
  }
});
