import { describe, expect, test } from "bun:test";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Envelope, ScriptError } from "./executor.ts";
import { RecordedExecutor } from "./recorded-executor.ts";
import { runMethod, runOperation } from "./run-operation.ts";

const answering = (reply: Envelope | Error, op = "volume.get") => new RecordedExecutor([{ op, reply }]);
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

test("the data of an operation is its result", async () => {
  const executor = answering({ ok: true, data: { uniqueId: "a" } });
  expect(await runOperation(executor, "volume.get", { volumeID: "a" })).toEqual({ uniqueId: "a" });
  expect(executor.calls).toEqual([{ op: "volume.get", params: { volumeID: "a" } }]);
});

describe("what a script reports", () => {
  test.each<[string, ScriptError, Partial<CsiProxyError>]>([
    [
      "a missing object is NotFound, in words that drivers look for",
      { message: "No MSFT_Volume objects", category: "ObjectNotFound" },
      { code: "NotFound", message: "No MSFT_Volume objects: not found" },
    ],
    [
      "those words are not said twice",
      { message: "volume not found", category: "ObjectNotFound" },
      { code: "NotFound", message: "volume not found" },
    ],
    ["no message at all", { message: "", category: "ObjectNotFound" }, { code: "NotFound", message: "volume.get failed: not found" }],
    [
      "a refusal is FailedPrecondition",
      { message: "Access is denied", category: "PermissionDenied" },
      { code: "FailedPrecondition", message: "Access is denied" },
    ],
    ["what exists is AlreadyExists", { message: "there", category: "ResourceExists" }, { code: "AlreadyExists", message: "there" }],
    ["anything else is Internal", { message: "odd", category: "NotSpecified" }, { code: "Internal", message: "odd" }],
    ["a category that every object inherits is Internal", { message: "odd", category: "constructor" }, { code: "Internal" }],
    [
      "Windows' codes stay with it",
      { message: "odd", win32: 1219, wmi: { class: "MSFT_Disk", method: "Refresh", code: 5 } },
      { code: "Internal", op: "volume.get", win32: 1219, wmi: { class: "MSFT_Disk", method: "Refresh", code: 5 } },
    ],
  ])("%s", async (_, error, expected) => {
    const failure = await failureOf(runOperation(answering({ ok: false, error }), "volume.get", {}));
    expect(failure).toBeInstanceOf(CsiProxyError);
    expect(failure).toMatchObject(expected);
  });

  test.each<[string, Envelope | Error]>([
    ["what its script reports", { ok: false, error: { message: "the password of hunter2 is wrong", fqid: "hunter2" } }],
    ["what the executor rejects with", new CsiProxyError("Unavailable", "lost while hunter2 was sent", { cause: new Error("hunter2") })],
    ["an error of another kind", new Error("hunter2")],
  ])("%s has no secrets, whatever the executor", async (_, reply) => {
    const executor = answering(reply, "smb.newMapping");
    const failure = await failureOf(runOperation(executor, "smb.newMapping", { smbremotepath: "s", smbuser: "u", smbpassword: "hunter2" }));
    expect(Bun.inspect(failure)).toContain("***stripped***");
    expect(Bun.inspect(failure)).not.toContain("hunter2");
    expect((failure as CsiProxyError).code).toBe(reply instanceof CsiProxyError ? "Unavailable" : "Internal");
  });

  test("what the executor rejects with is passed on", async () => {
    const lost = new CsiProxyError("Unavailable", "lost");
    expect(await failureOf(runOperation(answering(lost), "volume.get", {}))).toBe(lost);
  });
});

describe("the return value of a WMI method", () => {
  const create = { class: "MSFT_Disk", method: "CreatePartition", target: "disk 3", tolerated: [42002] };
  const call = (data: unknown) => runMethod(answering({ ok: true, data }, "disk.createPartition"), "disk.createPartition", {}, create);

  test.each([
    ["0", { returnValue: 0 }, 0],
    ["a tolerated code", { returnValue: 42002 }, 42002],
    ["a number as a text", { returnValue: "0" }, 0],
  ])("is %s", async (_, data, code) => expect(await call(data)).toBe(code));

  test("is an error otherwise, with the method, the target and the code", async () => {
    expect(await failureOf(call({ returnValue: 40001 }))).toMatchObject({
      code: "Internal",
      message: "WMI MSFT_Disk.CreatePartition failed (target=disk 3): code=40001",
      op: "disk.createPartition",
      wmi: { class: "MSFT_Disk", method: "CreatePartition", code: 40001 },
    });
  });

  test.each([[null], [{}], [{ returnValue: null }], [{ returnValue: "" }], [{ returnValue: "x" }], [[0]]])(
    "is not to be had from %j",
    async (data) => {
      expect(await failureOf(call(data))).toMatchObject({
        code: "Internal",
        message: "disk.createPartition: the answer has no returnValue",
      });
    },
  );
});
