import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Envelope } from "../powershell/executor.ts";
import { RecordedExecutor } from "../powershell/recorded-executor.ts";
import { windowsSmbHostApi } from "./host-api.windows.ts";

const share = "\\\\host\\share";
const answer = (data: unknown): Envelope => ({ ok: true, data });
function host(op: string, reply: Envelope) {
  const executor = new RecordedExecutor([{ op, reply }]);
  return { api: windowsSmbHostApi(executor), calls: executor.calls };
}

describe("isSmbMapped", () => {
  test.each([
    [null, "unmapped"],
    [{ status: 0 }, "mapped"],
    [{ status: 2 }, "stale"],
    [{ status: 6 }, "stale"],
  ] as const)("%j is %s", async (data, state) => {
    const { api, calls } = host("smb.getMapping", answer(data));
    expect(await api.isSmbMapped(share)).toBe(state);
    expect(calls).toEqual([{ op: "smb.getMapping", params: { smbremotepath: share } }]);
  });

  test("an answer without a status is an error", async () => {
    await expect(host("smb.getMapping", answer({})).api.isSmbMapped(share)).rejects.toMatchObject({ code: "Internal" });
  });
});

describe("newSmbGlobalMapping", () => {
  test("hands on the credential and whether privacy is required", async () => {
    const { api, calls } = host("smb.newMapping", answer({ returnValue: 0 }));
    await api.newSmbGlobalMapping(share, { username: "domain\\user", password: "swordfish" }, true);
    await api.newSmbGlobalMapping(share, undefined, false);
    expect(calls.map(({ params }) => params)).toEqual([
      { smbremotepath: share, smbuser: "domain\\user", smbpassword: "swordfish", require_privacy: "true" },
      { smbremotepath: share, require_privacy: "false" },
    ]);
  });

  test("fails with the code of Windows, without the password", async () => {
    const call = host("smb.newMapping", answer({ returnValue: 1219 })).api.newSmbGlobalMapping(
      share,
      { username: "u", password: "p" },
      true,
    );
    await expect(call).rejects.toMatchObject({
      message: "NewSmbGlobalMapping failed. error: WMI MSFT_SmbGlobalMapping.Create failed (target=\\\\host\\share): code=1219",
      wmi: { class: "MSFT_SmbGlobalMapping", method: "Create", code: 1219 },
    });
  });
});

describe("removeSmbGlobalMapping", () => {
  test("removes a share", async () => {
    const { api, calls } = host("smb.removeMapping", answer({ returnValue: 0 }));
    await api.removeSmbGlobalMapping(share);
    expect(calls).toEqual([{ op: "smb.removeMapping", params: { smbremotepath: share } }]);
  });

  test.each<[string, Envelope, string, string]>([
    ["nothing is mapped", { ok: false, error: { message: "No mapping", category: "ObjectNotFound" } }, "NotFound", "No mapping: not found"],
    ["Windows refuses", answer({ returnValue: 5 }), "Internal", "WMI MSFT_SmbGlobalMapping.Remove failed (target=\\\\host\\share): code=5"],
  ])("fails when %s", async (_, reply, code, reason) => {
    await expect(host("smb.removeMapping", reply).api.removeSmbGlobalMapping(share)).rejects.toMatchObject({
      code,
      message: `error remove smb mapping '\\\\host\\share'. error: ${reason}`,
    });
  });
});

test("what stops an operation is passed on", async () => {
  const stopped = new CsiProxyError("DeadlineExceeded", "smb.getMapping: timed out after 60 s");
  const api = windowsSmbHostApi(new RecordedExecutor([{ op: "smb.getMapping", reply: stopped }]));
  await expect(api.isSmbMapped(share)).rejects.toBe(stopped);
});

describe("newSmbLink", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "smb-link-"));
    mkdirSync(join(root, "C"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const link = (remotePath: string) => windowsSmbHostApi(new RecordedExecutor([]), { hostRoot: root }).newSmbLink(remotePath, "C:\\mount");

  test("leads to the plain path of the share, with a backslash at its end", async () => {
    await link("\\\\Host\\Share\\Sub");
    expect(readlinkSync(join(root, "C/mount"))).toBe("\\\\Host\\Share\\Sub\\");
  });

  test("may be there already", async () => {
    await link("\\\\host\\share");
    await link("\\\\host\\SHARE\\");
    expect(readlinkSync(join(root, "C/mount"))).toBe("\\\\host\\share\\");
  });

  test.each<[string, () => void]>([
    ["a link to another folder", () => symlinkSync("\\\\host\\other\\", join(root, "C/mount"), "dir")],
    ["a folder", () => mkdirSync(join(root, "C/mount"))],
    ["a file", () => writeFileSync(join(root, "C/mount"), "")],
  ])("does not replace %s", async (_, create) => {
    create();
    await expect(link("\\\\host\\share")).rejects.toMatchObject({
      code: "AlreadyExists",
      message: expect.stringMatching(/^symlink C:\\mount: EEXIST: [\w ]+$/),
    });
  });

  test("needs a host root off Windows", async () => {
    const api = windowsSmbHostApi(new RecordedExecutor([]), { platform: "linux" });
    await expect(api.newSmbLink(share, "C:\\mount")).rejects.toThrow("--dev-host-root is required on this platform");
    expect(existsSync(join(root, "C/mount"))).toBe(false);
  });
});
