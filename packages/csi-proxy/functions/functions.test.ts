import { afterEach, expect, test } from "bun:test";
import { Disk } from "../disk/disk.ts";
import { Filesystem } from "../filesystem/filesystem.ts";
import { Iscsi } from "../iscsi/iscsi.ts";
import { Smb } from "../smb/smb.ts";
import { System } from "../system/system.ts";
import { Volume } from "../volume/volume.ts";
import * as functions from "./index.ts";

const { close, disk, filesystem, iscsi, smb, system, volume } = functions;
afterEach(async () => {
  for (const { resetHostApi } of [disk, filesystem, iscsi, smb, system, volume]) resetHostApi();
  await close();
});

/** A host API whose methods answer with their own name. */
const echo = <HostApi>() => new Proxy({}, { get: (_, name) => async () => name }) as HostApi;

test("functions use the host API that they are given", async () => {
  filesystem.useHostApi(echo());
  expect(await filesystem.pathExists({ path: "C:\\data" })).toEqual({ exists: "pathExists" as never });
  system.useHostApi(echo());
  expect(await system.getBiosSerialNumber()).toEqual({ serialNumber: "getBiosSerialNumber" });
  smb.useHostApi(echo());
  expect(await smb.removeSmbGlobalMapping({ remotePath: "\\\\host\\share" })).toEqual({});
});

test("reset, they use the host", async () => {
  filesystem.useHostApi(echo());
  filesystem.resetHostApi();
  await expect(filesystem.pathExists({ path: "C:\\data" })).rejects.toThrow("--dev-host-root is required on this platform");
});

test.each([
  [Disk, disk, ["getDiskNumberByName"]],
  [Filesystem, filesystem, []],
  [Iscsi, iscsi, []],
  [Smb, smb, []],
  [System, system, []],
  [Volume, volume, []],
])("there is a function for each method of %p", (handler, group, serverOnly) => {
  const methods = Object.getOwnPropertyNames(handler.prototype).filter((name) => name !== "constructor");
  const names = [...methods, "useHostApi", "resetHostApi"].filter((name) => !(serverOnly as string[]).includes(name));
  expect(Object.keys(group).sort()).toEqual(names.sort());
});
