import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { Filesystem } from "./filesystem.ts";
import type { FilesystemHostApi } from "./host-api.ts";

/** A handler over a host on which everything works, and what it asks of it. */
function filesystemOn(overrides: Partial<FilesystemHostApi> = {}) {
  const calls: unknown[][] = [];
  const noted =
    <T>(name: string, result: T) =>
    async (...args: unknown[]): Promise<T> => {
      calls.push([name, ...args.slice(0, name === "createSymlink" || name === "rmdir" ? 2 : 1)]);
      return result;
    };
  const host: FilesystemHostApi = {
    pathExists: noted("pathExists", true),
    pathValid: noted("pathValid", true),
    mkdir: noted("mkdir", undefined),
    rmdir: noted("rmdir", undefined),
    rmdirContents: noted("rmdirContents", undefined),
    createSymlink: noted("createSymlink", undefined),
    isSymlink: noted("isSymlink", true),
    ...overrides,
  };
  const log = recordingLogger();
  return { filesystem: new Filesystem(host, { log }), calls, log };
}

const path = "C:\\var\\lib\\kubelet\\pods\\1\\mount";
const bad = "C:\\var\\..\\windows";
const refusal = { code: "InvalidArgument", message: `path contains invalid characters: ${bad}` };

test("every method has its host API do it", async () => {
  const { filesystem, calls } = filesystemOn();
  expect([
    await filesystem.pathExists({ path }),
    await filesystem.pathValid({ path: "\\\\host\\share" }),
    await filesystem.mkdir({ path }),
    await filesystem.rmdir({ path, force: true }),
    await filesystem.rmdirContents({ path }),
    await filesystem.createSymlink({ sourcePath: "C:\\source", targetPath: path }),
    await filesystem.isSymlink({ path: "relative" }),
  ]).toEqual([{ exists: true }, { valid: true }, {}, {}, {}, {}, { isSymlink: true }]);
  expect(calls).toEqual([
    ["pathExists", path],
    ["pathValid", "\\\\host\\share"],
    ["mkdir", path],
    ["rmdir", path, true],
    ["rmdirContents", path],
    ["createSymlink", "C:\\source", path],
    ["isSymlink", "relative"],
  ]);
});

describe("paths", () => {
  test("are validated by the methods that may create or remove something", async () => {
    const { filesystem, calls } = filesystemOn();
    const refused = [
      () => filesystem.pathExists({ path: bad }),
      () => filesystem.mkdir({ path: bad }),
      () => filesystem.rmdir({ path: bad, force: false }),
      () => filesystem.rmdirContents({ path: bad }),
      () => filesystem.createSymlink({ sourcePath: bad, targetPath: path }),
    ];
    for (const call of refused) await expect(call()).rejects.toMatchObject(refusal);
    expect(calls).toEqual([]);
  });

  test("of a link are validated before those that it leads to", async () => {
    const call = filesystemOn().filesystem.createSymlink({ sourcePath: "source", targetPath: bad });
    await expect(call).rejects.toMatchObject(refusal);
  });
});

test("a request is one line of the log, an error another", async () => {
  const { filesystem, log } = filesystemOn({ mkdir: () => Promise.reject(new Error("disk full")) });
  await expect(filesystem.mkdir({ path })).rejects.toThrow("disk full");
  expect(log.lines.map(({ severity, level, logger, message, fields }) => ({ severity, level, logger, message, fields }))).toEqual([
    { severity: "info", level: 2, logger: "filesystem", message: "Mkdir", fields: { path } },
    { severity: "error", level: 0, logger: "filesystem", message: "Mkdir failed", fields: { path } },
  ]);
});
