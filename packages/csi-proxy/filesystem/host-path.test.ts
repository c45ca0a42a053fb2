import { describe, expect, test } from "bun:test";
import { hostPathMapping, isDriveRoot } from "./host-path.ts";

describe("with a host root", () => {
  test.each([
    ["C:\\data\\Pod 1", "/host/C/data/Pod 1"],
    ["c:\\Data", "/host/C/Data"],
    ["C:\\", "/host/C"],
    ["C:", "/host/C"],
    ["C:\\link\\", "/host/C/link"],
    ["C:\\a\\..\\..\\..\\etc", "/host/C/etc"],
    ["C:\\a/../../../etc", "/host/C/etc"],
    ["\\\\server\\share\\", "\\\\server\\share\\"],
    ["relative", "relative"],
    ["C:relative", "C:relative"],
    ["", ""],
  ])("%j is %j", (path, host) => {
    for (const platform of ["linux", "win32"] as const) expect(hostPathMapping({ hostRoot: "/host", platform })(path)).toBe(host);
  });
});

test.each([
  ["C:\\data", "C:\\data"],
  ["C:\\link\\", "C:\\link"],
  ["C:\\", "C:\\"],
  ["\\\\server\\share\\", "\\\\server\\share\\"],
])("Windows knows %j as %j", (path, host) => expect(hostPathMapping({ platform: "win32" })(path)).toBe(host));

test("other platforms have no paths of Windows", () => {
  for (const hostRoot of [undefined, ""]) {
    const map = hostPathMapping({ platform: "linux", ...(hostRoot !== undefined && { hostRoot }) });
    expect(() => map("C:\\data")).toThrow("--dev-host-root is required on this platform");
  }
});

test.each([
  ["C:\\", true],
  ["c:\\.\\", true],
  ["C:\\a", false],
])("%j is the root of a drive: %p", (path, isRoot) => expect(isDriveRoot(path)).toBe(isRoot));
