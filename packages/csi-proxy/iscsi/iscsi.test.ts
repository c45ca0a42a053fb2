import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { RecordedExecutor, type RecordedReply } from "../powershell/recorded-executor.ts";
import { windowsIscsiHostApi } from "./host-api.windows.ts";
import { Iscsi } from "./iscsi.ts";
import type { TargetPortal } from "./types.ts";

const iqn = "iqn.1991-05.com.microsoft:one";
const targetPortal = { targetAddress: "10.0.0.1", targetPort: 0 };
const portalParams = { iscsi_tp_address: "10.0.0.1", iscsi_tp_port: "3260" };
const targetParams = { ...portalParams, iscsi_target_iqn: iqn };
const login = { authType: 0, chapUsername: "", chapSecret: "" };

const reply = (op: string, data: unknown): RecordedReply => ({ op, reply: { ok: true, data } });
const targets = (isConnected: boolean) =>
  reply("iscsi.targets", [
    { nodeAddress: "iqn.other", isConnected: !isConnected },
    { nodeAddress: iqn, isConnected },
  ]);
function iscsiWith(...replies: RecordedReply[]) {
  const executor = new RecordedExecutor(replies);
  const log = recordingLogger();
  return { iscsi: new Iscsi(windowsIscsiHostApi(executor), { log }), calls: executor.calls, log };
}

describe("portals", () => {
  const registered = reply("iscsi.listPortals", [
    { address: "10.0.0.1", port: 3260 },
    { address: "10.0.0.2", port: "3261" },
  ]);

  test("are listed", async () => {
    expect(await iscsiWith(registered).iscsi.listTargetPortals()).toEqual({
      targetPortals: [
        { targetAddress: "10.0.0.1", targetPort: 3260 },
        { targetAddress: "10.0.0.2", targetPort: 3261 },
      ],
    });
  });

  test.each<[TargetPortal, string | undefined]>([
    [{ targetAddress: "10.0.0.1", targetPort: 0 }, undefined],
    [{ targetAddress: "10.0.0.1", targetPort: 3260 }, undefined],
    [{ targetAddress: "10.0.0.1", targetPort: 3261 }, "3261"],
    [{ targetAddress: "10.0.0.3", targetPort: 0 }, "3260"],
  ])("%j is added with port %p unless it is there", async (targetPortal, port) => {
    const { iscsi, calls } = iscsiWith(registered, reply("iscsi.newPortal", { returnValue: 0 }));
    expect(await iscsi.addTargetPortal({ targetPortal })).toEqual({});
    const added = { op: "iscsi.newPortal", params: { iscsi_tp_address: targetPortal.targetAddress, iscsi_tp_port: port ?? "" } };
    expect(calls).toEqual([{ op: "iscsi.listPortals", params: {} }, ...(port === undefined ? [] : [added])]);
  });

  test("tell their targets", async () => {
    const { iscsi, calls } = iscsiWith(targets(true));
    expect(await iscsi.discoverTargetPortal({ targetPortal })).toEqual({ iqns: ["iqn.other", iqn] });
    expect(calls).toEqual([{ op: "iscsi.targets", params: portalParams }]);
  });

  test("are removed", async () => {
    const { iscsi, calls } = iscsiWith(reply("iscsi.removePortal", { returnValue: 0 }));
    expect(await iscsi.removeTargetPortal({ targetPortal })).toEqual({});
    expect(calls).toEqual([{ op: "iscsi.removePortal", params: portalParams }]);
  });

  test("that are not registered are not found", async () => {
    const missing: RecordedReply = {
      op: "iscsi.removePortal",
      reply: { ok: false, error: { message: "no portal", category: "ObjectNotFound" } },
    };
    const { iscsi } = iscsiWith(missing, reply("iscsi.targets", null));
    await expect(iscsi.removeTargetPortal({ targetPortal })).rejects.toMatchObject({
      code: "NotFound",
      message: "error removing target portal 10.0.0.1:3260. error: no portal: not found",
    });
    const calls = [
      () => iscsi.discoverTargetPortal({ targetPortal }),
      () => iscsi.connectTarget({ targetPortal, iqn, ...login }),
      () => iscsi.disconnectTarget({ targetPortal, iqn }),
      () => iscsi.getTargetDisks({ targetPortal, iqn }),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: "NotFound", message: "target portal 10.0.0.1:3260 not found" });
  });
});

describe("every request for a portal", () => {
  test.each<[TargetPortal | undefined, string]>([
    [undefined, "target portal is empty"],
    [{ targetAddress: "", targetPort: 3260 }, "target portal address is empty"],
    [{ targetAddress: "10.0.0.1", targetPort: 65_536 }, "target portal port 65536 is not between 0 and 65535"],
    [{ targetAddress: "10.0.0.1", targetPort: -1 }, "target portal port -1 is not between 0 and 65535"],
    [{ targetAddress: "10.0.0.1", targetPort: 1.5 }, "target portal port 1.5 is not between 0 and 65535"],
  ])("with %j is refused", async (targetPortal, message) => {
    const { iscsi, calls } = iscsiWith();
    const refused = [
      () => iscsi.addTargetPortal({ targetPortal }),
      () => iscsi.discoverTargetPortal({ targetPortal }),
      () => iscsi.removeTargetPortal({ targetPortal }),
      () => iscsi.connectTarget({ targetPortal, iqn, ...login }),
      () => iscsi.disconnectTarget({ targetPortal, iqn }),
      () => iscsi.getTargetDisks({ targetPortal, iqn }),
    ];
    for (const call of refused) await expect(call()).rejects.toMatchObject({ code: "InvalidArgument", message });
    expect(calls).toEqual([]);
  });
});

describe("connectTarget", () => {
  test.each([
    [0, "", "", { iscsi_auth_type: "NONE" }],
    [1, "user", "secret of twelve", { iscsi_auth_type: "ONEWAYCHAP", iscsi_chap_user: "user", iscsi_chap_secret: "secret of twelve" }],
    [2, "user", "", { iscsi_auth_type: "MUTUALCHAP", iscsi_chap_user: "user" }],
  ])("logs on with authentication %p", async (authType, chapUsername, chapSecret, params) => {
    const { iscsi, calls, log } = iscsiWith(targets(false), reply("iscsi.connect", { returnValue: 0 }));
    expect(await iscsi.connectTarget({ targetPortal, iqn, authType, chapUsername, chapSecret })).toEqual({});
    expect(calls).toEqual([
      { op: "iscsi.targets", params: portalParams },
      { op: "iscsi.connect", params: { ...targetParams, ...params } },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain("secret of twelve");
    expect(log.lines.every(({ level, fields }) => !("chapUsername" in fields) || level === 4)).toBe(true);
  });

  test("leaves a target that is connected", async () => {
    const { iscsi, calls } = iscsiWith(targets(true));
    await iscsi.connectTarget({ targetPortal, iqn, ...login });
    expect(calls.length).toBe(1);
  });

  test.each([[3], [-1], [0.5]])("does not know the authentication %p", async (authType) => {
    const { iscsi, calls } = iscsiWith();
    await expect(iscsi.connectTarget({ targetPortal, iqn, ...login, authType })).rejects.toThrow(
      new CsiProxyError("InvalidArgument", `invalid authentication type authType=${authType}`),
    );
    expect(calls).toEqual([]);
  });

  test("fails with the code of Windows, without the secret", async () => {
    const { iscsi, log } = iscsiWith(targets(false), reply("iscsi.connect", { returnValue: 24 }));
    const call = iscsi.connectTarget({ targetPortal, iqn, authType: 1, chapUsername: "user", chapSecret: "wrong secret" });
    await expect(call).rejects.toMatchObject({
      message: `error connecting to target ${iqn}. error: WMI MSFT_iSCSITarget.Connect failed (target=${iqn}): code=24`,
    });
    expect(JSON.stringify(log.lines.map((line) => ({ ...line, error: String(line.error) })))).not.toContain("wrong secret");
  });
});

test("a target that the portal does not offer is not found, in the words of PowerShell", async () => {
  const { iscsi } = iscsiWith(targets(true));
  const unknown = { targetPortal, iqn: iqn.toUpperCase() };
  const calls = [
    () => iscsi.connectTarget({ ...unknown, ...login }),
    () => iscsi.disconnectTarget(unknown),
    () => iscsi.getTargetDisks(unknown),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({
      code: "NotFound",
      message: `target ${unknown.iqn} not found on target portal 10.0.0.1:3260 (ObjectNotFound)`,
    });
  }
});

describe("disconnectTarget", () => {
  test("ends all sessions, and those that would come back", async () => {
    const { iscsi, calls } = iscsiWith(
      targets(true),
      reply("iscsi.sessions", [
        { sessionIdentifier: "a", isPersistent: true },
        { sessionIdentifier: "b", isPersistent: false },
      ]),
      reply("iscsi.unregister", { returnValue: 0 }),
      reply("iscsi.disconnect", { returnValue: 0 }),
    );
    expect(await iscsi.disconnectTarget({ targetPortal, iqn })).toEqual({});
    expect(calls).toEqual([
      { op: "iscsi.targets", params: portalParams },
      { op: "iscsi.sessions", params: targetParams },
      { op: "iscsi.unregister", params: { iscsi_session_id: "a" } },
      { op: "iscsi.disconnect", params: { iscsi_target_iqn: iqn, iscsi_session_id: "a" } },
      { op: "iscsi.disconnect", params: { iscsi_target_iqn: iqn, iscsi_session_id: "b" } },
    ]);
  });

  test("is content with a target without sessions, or without a connection", async () => {
    const withoutSessions = iscsiWith(targets(true), reply("iscsi.sessions", []));
    expect(await withoutSessions.iscsi.disconnectTarget({ targetPortal, iqn })).toEqual({});
    const disconnected = iscsiWith(targets(false));
    expect(await disconnected.iscsi.disconnectTarget({ targetPortal, iqn })).toEqual({});
    expect(disconnected.calls.length).toBe(1);
  });
});

describe("getTargetDisks", () => {
  test("numbers the disks of a target", async () => {
    const { iscsi, calls } = iscsiWith(targets(true), reply("iscsi.targetDisks", [3, "12"]));
    expect(await iscsi.getTargetDisks({ targetPortal, iqn })).toEqual({ diskIds: ["3", "12"] });
    expect(calls.at(-1)).toEqual({ op: "iscsi.targetDisks", params: targetParams });
  });

  test("has none without a connection", async () => {
    const { iscsi, calls } = iscsiWith(targets(false));
    expect(await iscsi.getTargetDisks({ targetPortal, iqn })).toEqual({ diskIds: [] });
    expect(calls.length).toBe(1);
  });
});

test.each<[string, RecordedReply[], (iscsi: Iscsi) => Promise<unknown>]>([
  ["iscsi.listPortals", [reply("iscsi.listPortals", null)], (iscsi) => iscsi.listTargetPortals()],
  ["iscsi.listPortals", [reply("iscsi.listPortals", [{ address: "a", port: "x" }])], (iscsi) => iscsi.addTargetPortal({ targetPortal })],
  ["iscsi.targets", [reply("iscsi.targets", [{ nodeAddress: iqn }])], (iscsi) => iscsi.discoverTargetPortal({ targetPortal })],
  [
    "iscsi.sessions",
    [targets(true), reply("iscsi.sessions", [{ sessionIdentifier: null, isPersistent: false }])],
    (iscsi) => iscsi.disconnectTarget({ targetPortal, iqn }),
  ],
  ["iscsi.targetDisks", [targets(true), reply("iscsi.targetDisks", [-1])], (iscsi) => iscsi.getTargetDisks({ targetPortal, iqn })],
])("a malformed answer of %s is an error, and nothing is changed", async (op, replies, call) => {
  const { iscsi, calls } = iscsiWith(...replies);
  await expect(call(iscsi)).rejects.toMatchObject({ code: "Internal", op, message: expect.stringContaining(`${op}: malformed answer`) });
  expect(calls.at(-1)?.op).toBe(op);
});

test("what stops an operation keeps its code, in a context", async () => {
  const stopped = new CsiProxyError("DeadlineExceeded", "iscsi.targets: timed out after 60 s");
  const { iscsi } = iscsiWith({ op: "iscsi.targets", reply: stopped });
  await expect(iscsi.discoverTargetPortal({ targetPortal })).rejects.toMatchObject({
    code: "DeadlineExceeded",
    message: "error listing targets of target portal 10.0.0.1:3260. error: iscsi.targets: timed out after 60 s",
  });
});

test("the mutual secret is set for the node, and not logged", async () => {
  const { iscsi, calls, log } = iscsiWith(reply("iscsi.setChapSecret", { returnValue: 0 }));
  expect(await iscsi.setMutualChapSecret({ mutualChapSecret: "twelve bytes" })).toEqual({});
  expect(calls).toEqual([{ op: "iscsi.setChapSecret", params: { iscsi_mutual_chap_secret: "twelve bytes" } }]);
  expect(JSON.stringify(log.lines)).not.toContain("twelve bytes");
});

test("changes of one portal exclude each other", async () => {
  const listed = Promise.withResolvers<{ ok: true; data: unknown }>();
  const { iscsi, calls } = iscsiWith(
    { op: "iscsi.listPortals", reply: listed.promise },
    reply("iscsi.newPortal", { returnValue: 0 }),
    reply("iscsi.removePortal", { returnValue: 0 }),
  );
  const added = iscsi.addTargetPortal({ targetPortal });
  const removed = iscsi.removeTargetPortal({ targetPortal: { ...targetPortal, targetPort: 3260 } });
  await iscsi.removeTargetPortal({ targetPortal: { ...targetPortal, targetPort: 3261 } });
  listed.resolve({ ok: true, data: [] });
  await Promise.all([added, removed]);
  expect(calls.map(({ op, params }) => `${op} ${params.iscsi_tp_port ?? ""}`)).toEqual([
    "iscsi.listPortals ",
    "iscsi.removePortal 3261",
    "iscsi.newPortal 3260",
    "iscsi.removePortal 3260",
  ]);
});
