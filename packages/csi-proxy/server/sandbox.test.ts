import { describe, expect, test } from "bun:test";
import { Code, GrpcError, type HandlerContext } from "@csi-sidecars/csi";
import { type ApiGroupName, groupVersions } from "./api-groups.ts";
import { checkPath } from "./sandbox.ts";
import { serviceFor } from "./service-for.ts";
import { recordedHandlers } from "./testing/recorded-handlers.ts";

const workingDirs = ["D:\\extra\\", "C:\\var\\lib\\kubelet"];
const outside = (path: string) => `path: ${path} is not within the working directories: [D:\\extra\\ C:\\var\\lib\\kubelet]`;
const inside = "C:\\var\\lib\\kubelet\\pods\\1";

function call(group: ApiGroupName, version: string, key: string, request: object, strictVolumePaths?: boolean) {
  const { calls, handlers } = recordedHandlers();
  const served = serviceFor(group, version, handlers, { workingDirs, ...(strictVolumePaths !== undefined && { strictVolumePaths }) });
  const method = served.definition.methods[key]!;
  const context = { signal: new AbortController().signal } as HandlerContext;
  const answer = served.handlers[key]!(method.requestType.fromPartial!(request), context) as Promise<object>;
  return answer.then(
    () => calls.length,
    (error: Error) => `${error.message}${calls.length > 0 ? " (too late)" : ""}`,
  );
}

describe("paths", () => {
  test.each([
    ["C:\\var\\lib\\kubelet"],
    ["C:\\var\\lib\\kubelet\\"],
    ["C:\\var\\lib\\kubelet\\pods\\1"],
    ["c:\\VAR\\lib\\Kubelet\\plugins"],
    ["D:\\extra"],
    ["d:\\extra\\x"],
  ])("%s is inside", (path) => {
    expect(() => checkPath(path, workingDirs)).not.toThrow();
  });

  test.each([
    ["C:\\foo\\bar", outside("C:\\foo\\bar")],
    ["C:\\var\\lib\\kubelet-evil", outside("C:\\var\\lib\\kubelet-evil")],
    ["C:\\var\\lib", outside("C:\\var\\lib")],
    ["D:\\extras", outside("D:\\extras")],
    ["E:\\var\\lib\\kubelet", outside("E:\\var\\lib\\kubelet")],
    ["C:\\var\\lib\\\u212Aubelet\\x", outside("C:\\var\\lib\\\u212Aubelet\\x")],
    ["C:\\var\\l\u0131b\\kubelet\\x", outside("C:\\var\\l\u0131b\\kubelet\\x")],
    ["C:\\var\\lib\\kubelet\\..\\x", "path contains invalid characters: C:\\var\\lib\\kubelet\\..\\x"],
    ["C:\\var\\lib\\kubelet\\a:b", "path contains invalid characters: C:\\var\\lib\\kubelet\\a:b"],
    ["C:\\foo\\*", "path contains invalid characters: C:\\foo\\*"],
    ["C:/var/lib/kubelet", "path contains invalid characters: C:/var/lib/kubelet"],
    ["\\\\host\\share", "invalid character \\ at beginning of path: \\\\host\\share"],
    ["var\\lib\\kubelet", "not an absolute Windows path: var\\lib\\kubelet"],
    ["", "not an absolute Windows path: "],
    [`C:\\${"é".repeat(129)}`, "path length 261 exceeds maximum characters: 260"],
  ])("%s is not", (path, text) => {
    expect(() => checkPath(path, workingDirs)).toThrow(new Error(text));
  });

  test("letters beyond ASCII have a case as well", () => {
    expect(() => checkPath("d:\\ÜBER\\x", ["D:\\über"])).not.toThrow();
  });

  test("no working directory, no path", () => {
    expect(() => checkPath(inside, [])).toThrow(`path: ${inside} is not within the working directories: []`);
  });
});

describe("methods that take only paths inside, in all versions", () => {
  const evil = "C:\\var\\lib\\kubelet-evil";
  const cases: [group: ApiGroupName, key: string, request: (path: string) => object][] = [
    ["filesystem", "pathExists", (path) => ({ path })],
    ["filesystem", "mkdir", (path) => ({ path })],
    ["filesystem", "rmdir", (path) => ({ path, force: true })],
    ["filesystem", "rmdirContents", (path) => ({ path })],
    ["filesystem", "createSymlink", (path) => ({ source_path: path, target_path: inside })],
    ["filesystem", "createSymlink", (path) => ({ source_path: inside, target_path: path })],
    ["filesystem", "linkPath", (path) => ({ source_path: path, target_path: inside })],
    ["filesystem", "linkPath", (path) => ({ source_path: inside, target_path: path })],
    ["smb", "newSmbGlobalMapping", (path) => ({ remote_path: "\\\\host\\share", local_path: path })],
  ];
  test.each(cases)("%s %s", async (group, key, request) => {
    const versions = groupVersions
      .filter((api) => api.group === group)
      .map(({ version }) => version)
      .filter((version) => key in serviceFor(group, version, recordedHandlers().handlers, { workingDirs }).definition.methods);
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions) {
      expect(await call(group, version, key, request(evil))).toBe(outside(evil));
      expect(await call(group, version, key, request(inside))).toBe(1);
    }
  });

  test("a link is refused for its target before its source", async () => {
    expect(await call("filesystem", "v1", "createSymlink", { source_path: "C:\\s", target_path: "C:\\t" })).toBe(outside("C:\\t"));
  });
});

describe("what the sandbox leaves alone", () => {
  test.each([
    ["filesystem", "v1", "isSymlink", { path: "C:\\foo" }],
    ["filesystem", "v1alpha1", "isMountPoint", { path: "C:\\foo" }],
    ["smb", "v1", "newSmbGlobalMapping", { remote_path: "\\\\host\\share", local_path: "" }],
    ["smb", "v1", "newSmbGlobalMapping", { remote_path: "", local_path: "C:\\foo" }],
    ["smb", "v1", "newSmbGlobalMapping", { remote_path: "\\\\host", local_path: "C:\\foo" }],
    ["smb", "v1", "removeSmbGlobalMapping", { remote_path: "//host/share" }],
  ] as const)("%s %s %s %j is the handler's", async (group, version, key, request) => {
    expect(await call(group, version, key, request)).toBe(1);
  });
});

describe("target paths of volumes", () => {
  const cases = [
    ["v1", "mountVolume", { volume_id: "v", target_path: "C:\\foo" }, outside("C:\\foo")],
    ["v1", "unmountVolume", { volume_id: "v", target_path: "C:\\foo" }, outside("C:\\foo")],
    ["v1", "getVolumeIDFromTargetPath", { target_path: "C:\\foo" }, outside("C:\\foo")],
    ["v2alpha1", "getClosestVolumeIDFromTargetPath", { target_path: "C:\\foo" }, outside("C:\\foo")],
    ["v1alpha1", "mountVolume", { volume_id: "v", path: "C:\\foo" }, outside("C:\\foo")],
    ["v1alpha1", "dismountVolume", { volume_id: "v", path: "C:\\foo" }, `Forward to UnmountVolume failed, err=${outside("C:\\foo")}`],
    ["v1beta2", "getVolumeIDFromMount", { mount: "C:\\foo" }, `Forward to GetVolumeIDFromTargetPath failed, err=${outside("C:\\foo")}`],
  ] as const;
  test.each(cases)("%s %s: free, unless the server is strict", async (version, key, request, refusal) => {
    expect(await call("volume", version, key, request)).toBe(1);
    expect(await call("volume", version, key, request, true)).toBe(refusal);
    const allowed = Object.fromEntries(Object.entries(request).map(([name, value]) => [name, value === "C:\\foo" ? inside : value]));
    expect(await call("volume", version, key, allowed, true)).toBe(1);
  });

  test.each([
    ["unmountVolume", { volume_id: "", target_path: "C:\\foo" }],
    ["mountVolume", { volume_id: "v", target_path: "" }],
    ["getVolumeIDFromTargetPath", { target_path: "" }],
    ["formatVolume", { volume_id: "v" }],
    ["listVolumesOnDisk", { disk_number: 1 }],
    ["isVolumeFormatted", { volume_id: "v" }],
    ["resizeVolume", { volume_id: "v" }],
    ["getVolumeStats", { volume_id: "v" }],
    ["getDiskNumberFromVolumeID", { volume_id: "v" }],
    ["writeVolumeCache", { volume_id: "v" }],
  ] as const)("%s %j is the handler's also when strict", async (key, request) => {
    expect(await call("volume", "v1", key, request, true)).toBe(1);
  });
});

describe("a client that gave up", () => {
  test.each([
    ["its deadline passed", new GrpcError(Code.DeadlineExceeded, "context deadline exceeded")],
    ["it went away", new GrpcError(Code.Canceled, "context canceled")],
  ])("%s: that is the status, not the handler's error", async (_, reason) => {
    const abort = new AbortController();
    const { handlers } = recordedHandlers({
      rescan: async () => {
        abort.abort(reason);
        throw new Error("disk.rescan: aborted");
      },
    });
    const { handlers: served } = serviceFor("disk", "v1", handlers, { workingDirs });
    const answer = served.rescan!({}, { signal: abort.signal } as HandlerContext) as Promise<object>;
    await expect(answer).rejects.toBe(reason);
  });
});
