import { expect, test } from "bun:test";
import { finalizerOf } from "./names.ts";

test.each([
  ["csi/test", "external-attacher/csi-test"],
  ["csi.example.com", "external-attacher/csi-example-com"],
  ["s!a@n#i$t(i%z^e&d*", "external-attacher/s-a-n-i-t-i-z-e-d-X"],
  ["trailing\\", "external-attacher/trailing-X"],
])("the finalizer of %s is %s", (driver, finalizer) => {
  expect(finalizerOf(driver)).toBe(finalizer);
});
