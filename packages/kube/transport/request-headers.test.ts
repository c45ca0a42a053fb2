import { expect, test } from "bun:test";
import { userAgent } from "./request-headers.ts";

test.each([
  [
    { name: "csi-attacher", version: "v4.12.0", commit: "0123456789abcdef", platform: "linux", arch: "x64" },
    "csi-attacher/v4.12.0 (linux/amd64) kubernetes/0123456",
  ],
  [{ name: "csi-sidecars", version: "v1", platform: "win32", arch: "arm64" }, "csi-sidecars/v1 (windows/arm64) kubernetes/unknown"],
])("%p", (parts, expected) => {
  expect(userAgent(parts)).toBe(expected);
});
