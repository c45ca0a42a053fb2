import { expect, test } from "bun:test";
import { isMigrationIdentity, migrationIdentity } from "./migration-identity.ts";

test.each<[string, string, boolean]>([
  ["ours", migrationIdentity("pod-a", "csi-sidecars-x", Math.random), true],
  ["of another pod", migrationIdentity("pod-b", "csi-sidecars-x", () => 0), true],
  ["for another lease", migrationIdentity("pod-a", "csi-sidecars-y", Math.random), false],
  ["for a lease whose name ends like ours", migrationIdentity("pod-a", "other-csi-sidecars-x", Math.random), false],
  ["for a lease whose name begins like ours", migrationIdentity("pod-a", "csi-sidecars-x-y", Math.random), false],
  ["of an earlier version", "pod-a_csi-sidecars_4fzyo", false],
  ["a legacy sidecar in a pod with such a name", "csi-sidecars-x", false],
  ["a legacy provisioner", "1768000000000-8081-x.example.com", false],
  ["nobody", "", false],
])("the holder is a candidate for csi-sidecars-x: %s", (_, holder, is) => {
  expect(isMigrationIdentity(holder, "csi-sidecars-x")).toBe(is);
});
