import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { SmbHostApi, SmbMappingState } from "./host-api.ts";
import { Smb } from "./smb.ts";

const notFound = new CsiProxyError("NotFound", "error remove smb mapping: not found");
const refused = new CsiProxyError("FailedPrecondition", "Access is denied");

interface FakeShare {
  readonly state?: SmbMappingState | Error;
  /** What probing the share says. */
  readonly valid?: boolean | Error;
  readonly removal?: Error;
  readonly creation?: Error;
  readonly link?: Error;
}

/** Handlers over a fake host that notes what it is asked for. */
function shareIn({ state = "unmapped", valid = true, removal, creation, link }: FakeShare = {}, requirePrivacy?: boolean) {
  const calls: unknown[][] = [];
  const answer = async <T>(result: T | Error, ...call: unknown[]): Promise<T> => {
    calls.push(call);
    if (result instanceof Error) throw result;
    return result;
  };
  const host: SmbHostApi = {
    isSmbMapped: (share) => answer(state, "isMapped", share),
    newSmbGlobalMapping: (...[share, credential, privacy]) => answer<void>(creation ?? undefined, "create", share, credential, privacy),
    removeSmbGlobalMapping: (share) => answer<void>(removal ?? undefined, "remove", share),
    newSmbLink: (remote, local) => answer<void>(link ?? undefined, "link", remote, local),
  };
  const filesystem = {
    pathValid: async ({ path }: { path: string }) => ({ valid: await answer(valid, "probe", path) }),
  };
  const log = recordingLogger();
  return { smb: new Smb(host, filesystem, { log, ...(requirePrivacy !== undefined && { requirePrivacy }) }), calls, log };
}

const share = "\\\\host\\share";
const user = { username: "domain\\user", password: "swordfish" };
const create = ["create", share, user, true];
const isMapped = ["isMapped", share];
const probe = ["probe", share];
const remove = ["remove", share];

test("a client cannot fill the log with the name of a share", async () => {
  const { smb, log } = shareIn({ state: refused });
  await smb.newSmbGlobalMapping({ remotePath: `\\\\host\\${"x".repeat(1024 * 1024)}`, ...user });
  expect(JSON.stringify(log.lines).length).toBeLessThan(20_000);
});

describe("newSmbGlobalMapping", () => {
  test.each<[string, FakeShare, unknown[][]]>([
    ["maps a share", {}, [isMapped, create]],
    ["leaves a mapping that works", { state: "mapped" }, [isMapped, probe]],
    ["replaces a mapping that leads nowhere", { state: "mapped", valid: false }, [isMapped, probe, remove, create]],
    ["replaces a mapping that cannot be probed", { state: "mapped", valid: refused }, [isMapped, probe, remove, create]],
    [
      "replaces a mapping that is gone when it is removed",
      { state: "mapped", valid: false, removal: notFound },
      [isMapped, probe, remove, create],
    ],
    ["replaces a stale mapping", { state: "stale" }, [isMapped, remove, create]],
    ["replaces a stale mapping that is gone", { state: "stale", removal: notFound }, [isMapped, remove, create]],
    ["maps a share that cannot be looked up", { state: refused }, [isMapped, create]],
  ])("%s", async (_, fake, expected) => {
    const { smb, calls } = shareIn(fake);
    expect(await smb.newSmbGlobalMapping({ remotePath: `${share}\\Sub`, ...user })).toEqual({});
    expect(calls).toEqual(expected);
  });

  test.each<[string, FakeShare, unknown[][], string]>([
    ["removing a mapping", { state: "stale", removal: refused }, [isMapped, remove], "Access is denied"],
    ["creating one", { creation: refused }, [isMapped, create], "Access is denied"],
    [
      "linking to it",
      { state: "mapped", link: refused },
      [isMapped, probe, ["link", `${share}\\Sub\\`, "C:\\mount"]],
      "creating link C:\\mount to \\\\host\\share\\Sub failed with error: Access is denied",
    ],
  ])("fails when %s fails", async (_, fake, expected, message) => {
    const { smb, calls } = shareIn(fake);
    const call = smb.newSmbGlobalMapping({ remotePath: `${share}\\Sub\\`, localPath: "C:\\mount", ...user });
    await expect(call).rejects.toMatchObject({ code: "FailedPrecondition", message });
    expect(calls).toEqual(expected);
  });

  test("links to the folder as it was written, with the separators of Windows", async () => {
    const { smb, calls } = shareIn();
    await smb.newSmbGlobalMapping({ remotePath: "//Host/Share/Sub", localPath: "C:\\mount", ...user });
    expect(calls).toEqual([isMapped, create, ["link", "\\\\Host\\Share\\Sub", "C:\\mount"]]);
  });

  test("uses no credential without a user, and privacy unless it is not required", async () => {
    const { smb, calls } = shareIn({}, false);
    await smb.newSmbGlobalMapping({ remotePath: share, localPath: "", username: "", password: "" });
    expect(calls).toEqual([isMapped, ["create", share, undefined, false]]);
  });

  test.each([
    ["", "", "remote path is empty"],
    ["\\\\host", "", "remote path (\\\\host) is invalid"],
    [share, "mount", "not an absolute Windows path: mount"],
    ["", "mount", "remote path is empty"],
  ])("does nothing for %j and %j", async (remotePath, localPath, message) => {
    const { smb, calls } = shareIn();
    const call = smb.newSmbGlobalMapping({ remotePath, localPath, ...user });
    await expect(call).rejects.toMatchObject({ code: "InvalidArgument", message });
    expect(calls).toEqual([]);
  });

  test("a call that was stopped does not go on to change anything", async () => {
    const abort = new AbortController();
    const { smb, calls } = shareIn({ state: "mapped", valid: refused });
    const call = smb.newSmbGlobalMapping({ remotePath: share, ...user }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ name: "CsiProxyError" });
    expect(calls).not.toContainEqual(remove);
    expect(calls).not.toContainEqual(create);
  });

  test("logs what fails, and neither the user nor the password", async () => {
    const { smb, log } = shareIn({ state: "mapped", valid: refused });
    await smb.newSmbGlobalMapping({ remotePath: share, ...user });
    const logged = JSON.stringify(log.lines.map((line) => ({ ...line, error: String(line.error) })));
    expect(logged).toContain("Access is denied");
    expect(logged).not.toMatch(/swordfish|domain/);
  });
});

describe("removeSmbGlobalMapping", () => {
  test("removes the mapping of the share", async () => {
    const { smb, calls } = shareIn();
    expect(await smb.removeSmbGlobalMapping({ remotePath: "//Host/Share/Sub" })).toEqual({});
    expect(calls).toEqual([remove]);
  });

  test("fails where there is none", async () => {
    await expect(shareIn({ removal: notFound }).smb.removeSmbGlobalMapping({ remotePath: share })).rejects.toBe(notFound);
    await expect(shareIn().smb.removeSmbGlobalMapping({ remotePath: "" })).rejects.toThrow(/^remote path is empty$/);
  });
});

test("calls for one share exclude each other, however it is written; other shares do not wait", async () => {
  const log: string[] = [];
  const first = Promise.withResolvers<SmbMappingState>();
  const host: SmbHostApi = {
    isSmbMapped: (share) => {
      log.push(`look at ${share}`);
      return share === "\\\\host\\share" ? first.promise : Promise.resolve("unmapped");
    },
    newSmbGlobalMapping: async (share) => void log.push(`create ${share}`),
    removeSmbGlobalMapping: async (share) => void log.push(`remove ${share}`),
    newSmbLink: async () => {},
  };
  const smb = new Smb(host, { pathValid: async () => ({ valid: true }) });
  const mapping = smb.newSmbGlobalMapping({ remotePath: share, ...user });
  const removal = smb.removeSmbGlobalMapping({ remotePath: "\\\\HOST\\Share\\sub" });
  await smb.newSmbGlobalMapping({ remotePath: "\\\\host\\other", ...user });
  expect(log).toEqual(["look at \\\\host\\share", "look at \\\\host\\other", "create \\\\host\\other"]);
  first.resolve("unmapped");
  await Promise.all([mapping, removal]);
  expect(log.slice(3)).toEqual(["create \\\\host\\share", "remove \\\\host\\share"]);
});
