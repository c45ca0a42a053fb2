import { expect, test } from "bun:test";
import { missingPackages } from "./prerequisites.ts";

test("packages whose files are not there are named", () => {
  expect(missingPackages(() => true)).toEqual([]);
  expect(missingPackages((file) => file !== "/usr/lib/cni/bridge" && file !== "/usr/sbin/runc")).toEqual([
    "runc",
    "containernetworking-plugins",
  ]);
});
