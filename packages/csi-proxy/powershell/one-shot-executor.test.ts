import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import type { CsiProxyError } from "../csi-proxy-error.ts";
import type { PowershellOptions } from "./executor-options.ts";
import { OneShotExecutor } from "./one-shot-executor.ts";
import { StubPowershell } from "./testing/stub-powershell.ts";

// A simulated host: the processes are real, PowerShell and Windows are not.

const inherited = { PATH: process.env.PATH, SystemRoot: "C:\\Windows" };

/** An executor whose operations all run this JavaScript. */
function world(script: string, options: Partial<PowershellOptions> = {}) {
  const stub = new StubPowershell();
  const clock = new FakeClock();
  const log = recordingLogger();
  const scripts = { scriptOf: () => script, sessionHostScript: () => "" };
  const executor = new OneShotExecutor({ powershellPath: stub.path, scripts, clock, log, env: inherited, ...options });
  return {
    stub,
    clock,
    log,
    executor,
    async [Symbol.asyncDispose]() {
      await executor.close();
      await stub[Symbol.asyncDispose]();
      expect(clock.waiting).toBe(0);
    },
  };
}

const failureOf = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    (value) => expect.unreachable(JSON.stringify(value)),
    (error) => error,
  );

describe("the process", () => {
  test("gets the same arguments for every input, parameters and the operation in its environment", async () => {
    await using w = world('print({ ok: true, data: "done" })');
    const ids = ['"; Remove-Item C:\\ #', "$(Stop-Computer)"];
    for (const volumeID of ids) expect(await w.executor.run("volume.get", { volumeID })).toEqual({ ok: true, data: "done" });
    const { starts } = w.stub;
    const argv = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Mta", "-OutputFormat", "Text", "-Command"];
    expect(starts.map((start) => start.argv)).toEqual(Array(2).fill([...argv, 'print({ ok: true, data: "done" })']));
    expect(starts.map((start) => start.env)).toEqual(
      ids.map((volumeID) => ({ ...inherited, CSI_PROXY_OP: "volume.get", volumeID })) as never,
    );
  });

  test("inherits no variable that has the name of a parameter, and gets no empty one", async () => {
    const env = { ...inherited, mountpath: "C:\\old", CSI_PROXY_OP: "volume.format", smbpassword: "left over", MOUNTPATH: "kept" };
    await using w = world("print({ ok: true })", { env });
    expect(await w.executor.run("disk.list", { disk_number: "" })).toEqual({ ok: true, data: null });
    expect(w.stub.starts[0]?.env).toEqual({ ...inherited, CSI_PROXY_OP: "disk.list", MOUNTPATH: "kept" } as never);
  });

  test("on Windows, where names have no case, in no spelling", async () => {
    const env = { ...inherited, MountPath: "C:\\old", csi_proxy_op: "volume.format" };
    await using w = world("print({ ok: true })", { env, platform: "win32" });
    await w.executor.run("disk.list", { disk_number: "4" });
    expect(w.stub.starts[0]?.env).toEqual({ ...inherited, CSI_PROXY_OP: "disk.list", disk_number: "4" } as never);
  });

  test("looks for modules where its own PowerShell has them, not where one has that this process was started from", async () => {
    const env = { ...inherited, PSMODULEPATH: "C:\\Program Files\\PowerShell\\7\\Modules" };
    await using w = world("print({ ok: true })", { env, platform: "win32" });
    await w.executor.run("disk.list", {});
    expect(w.stub.starts[0]?.env).toEqual({ ...inherited, CSI_PROXY_OP: "disk.list" } as never);
  });

  test("has no input to wait for", async () => {
    await using w = world("let read = 0; for await (const chunk of process.stdin) read += chunk.length; print({ ok: true, data: read })");
    expect(await w.executor.run("system.bios", {})).toEqual({ ok: true, data: 0 });
  });
});

describe("the answer", () => {
  const envelope = '{"ok":true,"data":["\u00e4"]}';
  test.each([
    ["alone", `${envelope}\n`],
    ["without an end of line", envelope],
    ["with CRLF and empty lines", `${envelope}\r\n\r\n \r\n`],
    ["after a byte order mark", `\uFEFF${envelope}\r\n`],
    ["after noise", `WARNING: odd\r\n{"ok":false,"error":{"message":"not me"}}\n${envelope}\r\n`],
  ])("is the last line: %s", async (_, output) => {
    await using w = world(`write(${JSON.stringify(output)})`);
    expect(await w.executor.run("system.bios", {})).toEqual({ ok: true, data: ["\u00e4"] });
  });

  test("may be an error, which is not a failure of the executor", async () => {
    const error = { message: "gone", category: "ObjectNotFound", fqid: "x,y", win32: 2, wmi: { class: "C", method: "M", code: 7 } };
    await using w = world(`print(${JSON.stringify({ ok: false, error })})`);
    expect(await w.executor.run("system.bios", {})).toEqual({ ok: false, error });
  });

  test("noise before it is logged at verbosity 8, with the hash of the script", async () => {
    await using w = world('write("WARNING: odd\\n"); print({ ok: true })');
    await w.executor.run("system.bios", {});
    expect(w.log.lines.map(({ level, message, fields }) => ({ level, message, fields }))).toEqual([
      { level: 8, message: "Starting PowerShell", fields: { op: "system.bios", script: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      { level: 8, message: "PowerShell printed more than its answer", fields: { op: "system.bios", output: "WARNING: odd" } },
    ]);
  });
});

describe("a failure", () => {
  test.each([
    ["no answer", "", "system.bios: powershell ended with exit code 0 and without an answer"],
    ["another form", 'print({ data: 1 }); write("no", 2)', "system.bios: powershell ended with exit code 0 and without an answer: no"],
    ["noise after the answer", 'print({ ok: true }); write("x")', "system.bios: powershell ended with exit code 0 and without an answer"],
    ["an exit code", 'write("bad syntax\\r\\n", 2); process.exit(3)', "system.bios: powershell ended with exit code 3: bad syntax"],
    ["an exit code in spite of an answer", "print({ ok: true }); process.exit(1)", "system.bios: powershell ended with exit code 1"],
    ["a crash", 'process.kill(process.pid, "SIGKILL"); await gate("never")', "system.bios: powershell was ended by SIGKILL"],
  ])("is Internal: %s", async (_, script, message) => {
    await using w = world(script);
    expect(await failureOf(w.executor.run("system.bios", {}))).toMatchObject({ code: "Internal", message, op: "system.bios" });
  });

  test("is Unavailable when the program is not there", async () => {
    await using w = world("", { powershellPath: "/nowhere/powershell" });
    const failure = await failureOf(w.executor.run("system.bios", {}));
    expect(failure.code).toBe("Unavailable");
    expect(failure.message).toStartWith("powershell could not be started: ");
  });

  test("shows 4 KiB of stderr, without PowerShell's XML", async () => {
    const xml = '<Objs Version="1.1"><Obj S="progress">loading</Obj><S S="Error">disk _x000D__x000A_</S><S S="Error">is gone</S></Objs>';
    await using w = world(`write(${JSON.stringify(`#< CLIXML\r\n${xml}\n`)} + "\u00e4".repeat(1e6), 2); process.exit(1)`);
    const { message } = await failureOf(w.executor.run("system.bios", {}));
    const shown = message.replace("system.bios: powershell ended with exit code 1: ", "");
    expect(shown).toStartWith("disk \nis gone\n\u00e4\u00e4");
    expect(Buffer.byteLength(shown)).toBeWithin(4_094, 4_097);
    expect(shown).not.toContain("\uFFFD");
  });

  test("a read that prints more than 16 MiB is killed", async () => {
    await using w = world('for (;;) write("x".repeat(1 << 20))');
    expect(await failureOf(w.executor.run("system.bios", {}))).toMatchObject({
      code: "Internal",
      message: "system.bios: powershell printed more than 16 MiB and was ended by SIGKILL",
    });
    expect(w.stub.alive).toEqual([]);
  });

  test("a change that prints more than 16 MiB is left to finish", async () => {
    await using w = world('for (let i = 0; i < 20; i++) write("x".repeat(1 << 20)); mark("finished"); print({ ok: true })');
    expect(await failureOf(w.executor.run("disk.rescan", {}))).toMatchObject({
      code: "Internal",
      message: "disk.rescan: powershell printed more than 16 MiB and ended with exit code 0",
    });
    expect(w.stub.marked("finished")).toBe(true);
  });
});

test.each([
  ["a NUL", { smbremotepath: "\\\\h\\s", smbpassword: "pa\0ss" }, "smbpassword"],
  ["too long a value", { smbremotepath: "x".repeat(32_768) }, "smbremotepath"],
  ["a name that is not in the catalogue", { PATH: "x" }, "PATH"],
])("%s is refused before anything is started", async (_, params: Record<string, string>, name) => {
  await using w = world("print({ ok: true })");
  expect(await failureOf(w.executor.run("smb.newMapping", params))).toMatchObject({
    code: "InvalidArgument",
    message: `smb.newMapping: parameter ${name} is not acceptable`,
  });
  expect(w.stub.starts).toEqual([]);
});

test("the longest value that Windows takes is passed on", async () => {
  await using w = world("print({ ok: true, data: process.env.volumeID.length })");
  expect(await w.executor.run("volume.get", { volumeID: "x".repeat(32_767) })).toEqual({ ok: true, data: 32_767 });
});

describe("secrets", () => {
  const password = 'pa"ss\\w\u00f6rd&<1>';
  const params = { smbremotepath: "\\\\h\\s", smbuser: "u", smbpassword: password };

  test("are in no error, no stderr and no log line, in whatever form they are printed", async () => {
    await using w = world(`
      const { smbpassword: secret } = process.env;
      write("noise " + secret + "\\n");
      write("stderr " + secret + " " + JSON.stringify(secret) + " " + secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;") + "\\n", 2);
      write(secret.slice(0, 5) + "\\r\\n" + secret.slice(5) + "\\n", 2);
      process.exit(1);
    `);
    const { message } = await failureOf(w.executor.run("smb.newMapping", params));
    const strips = "***stripped***";
    expect(message).toBe(`smb.newMapping: powershell ended with exit code 1: stderr ${strips} "${strips}" ${strips}\n${strips}`);
    expect(w.log.lines.at(-1)?.fields).toEqual({ op: "smb.newMapping", output: "noise ***stripped***" });
    expect(w.stub.starts[0]?.argv.join(" ")).not.toContain("rd&<1>");
  });

  test("are not in the error of a script", async () => {
    await using w = world(`
      const { smbpassword: secret } = process.env;
      print({ ok: false, error: { message: "bad " + secret + JSON.stringify({ secret }), fqid: secret, category: "ObjectNotFound" } });
    `);
    expect(await w.executor.run("smb.newMapping", params)).toEqual({
      ok: false,
      error: { message: 'bad ***stripped***{"secret":"***stripped***"}', fqid: "***stripped***", category: "ObjectNotFound" },
    });
  });
});

describe("time", () => {
  test("a read is killed after 60 s", async () => {
    await using w = world('mark("begun"); await gate("never")');
    const call = failureOf(w.executor.run("volume.get", { volumeID: "a" }));
    await w.stub.untilMarked("begun");
    await w.clock.advance(59_999);
    expect(w.stub.alive).toHaveLength(1);
    await w.clock.advance(1);
    expect(await call).toMatchObject({ code: "DeadlineExceeded", message: "volume.get: timed out after 60 s" });
    await w.stub.untilAllEnded();
  });

  test("a read is killed when its call is aborted or its time is up", async () => {
    await using w = world('mark(process.env.volumeID); await gate("never")');
    const abort = new AbortController();
    const aborted = failureOf(w.executor.run("volume.get", { volumeID: "a" }, { signal: abort.signal }));
    const late = failureOf(w.executor.run("volume.get", { volumeID: "b" }, { timeoutMs: 1_000 }));
    await w.stub.untilMarked("a");
    await w.stub.untilMarked("b");
    abort.abort();
    await w.clock.advance(1_000);
    expect(await aborted).toMatchObject({ code: "Aborted", message: "volume.get: aborted" });
    expect(await late).toMatchObject({ code: "DeadlineExceeded", message: "volume.get: timed out after 1000 ms" });
    await w.stub.untilAllEnded();
  });

  test("a change is never killed: a warning every minute, and the answer when it comes", async () => {
    await using w = world('mark("begun"); await gate("format"); print({ ok: true, data: { returnValue: 0 } })');
    const call = w.executor.run("volume.format", { volumeID: "a" });
    await w.stub.untilMarked("begun");
    await w.clock.advance(180_000);
    const warnings = w.log.lines.filter(({ level }) => level === 0).map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
    expect(warnings).toEqual(
      [60, 120, 180].map((seconds) => `Warning: a PowerShell operation is still running {"op":"volume.format","seconds":${seconds}}`),
    );
    w.stub.open("format");
    expect(await call).toEqual({ ok: true, data: { returnValue: 0 } });
  });

  test("a change whose call is aborted goes on, keeps its slot, and tells when it has ended", async () => {
    await using w = world(
      'mark(process.env.CSI_PROXY_OP); if (process.env.volumeID) await gate("format"); mark("end-" + process.env.CSI_PROXY_OP); print({ ok: true })',
      { concurrency: 1 },
    );
    const abort = new AbortController();
    let ended = false;
    const onAbandoned = (end: Promise<void>) => {
      void end.then(() => {
        ended = true;
      });
    };
    const format = failureOf(w.executor.run("volume.format", { volumeID: "a" }, { signal: abort.signal, onAbandoned }));
    await w.stub.untilMarked("volume.format");
    const next = w.executor.run("system.bios", {});
    abort.abort();
    expect(await format).toMatchObject({ code: "Aborted", message: "volume.format: aborted" });
    await w.clock.advance(30_000);
    expect([w.stub.alive.length, ended, w.stub.marked("system.bios")]).toEqual([1, false, false]);
    w.stub.open("format");
    expect(await next).toEqual({ ok: true, data: null });
    expect([ended, w.stub.marked("end-volume.format")]).toEqual([true, true]);
  });
});

describe("slots", () => {
  test("at most three operations run at the same time", async () => {
    await using w = world('mark("begun-" + process.env.disk_number); await gate(process.env.disk_number); print({ ok: true })');
    const calls = ["1", "2", "3", "4", "5"].map((disk_number) => w.executor.run("disk.list", { disk_number }));
    for (const name of ["begun-1", "begun-2", "begun-3"]) await w.stub.untilMarked(name);
    // Each that runs has a time limit.
    expect(w.clock.waiting).toBe(3);
    w.stub.open("2");
    await w.stub.untilMarked("begun-4");
    expect(w.clock.waiting).toBe(3);
    for (const name of ["1", "3", "4", "5"]) w.stub.open(name);
    await Promise.all(calls);
  });

  test("a call that is aborted or late while it waits starts nothing", async () => {
    await using w = world('mark("begun"); await gate("go"); print({ ok: true })', { concurrency: 1 });
    const first = w.executor.run("system.bios", {});
    await w.stub.untilMarked("begun");
    const abort = new AbortController();
    const aborted = failureOf(w.executor.run("disk.rescan", {}, { signal: abort.signal }));
    const late = failureOf(w.executor.run("disk.rescan", {}, { timeoutMs: 500 }));
    abort.abort(new DOMException("slow", "TimeoutError"));
    await w.clock.advance(500);
    expect(await aborted).toMatchObject({ code: "DeadlineExceeded", message: "disk.rescan: timed out" });
    expect(await late).toMatchObject({ code: "DeadlineExceeded", message: "disk.rescan: timed out after 500 ms" });
    w.stub.open("go");
    await first;
    expect(w.stub.starts).toHaveLength(1);
  });
});

describe("close", () => {
  test("waits for what changes something, kills reads after 5 s, and refuses the rest", async () => {
    await using w = world("mark(process.env.CSI_PROXY_OP); await gate(process.env.CSI_PROXY_OP); print({ ok: true })", { concurrency: 2 });
    const change = w.executor.run("disk.rescan", {});
    const read = failureOf(w.executor.run("system.bios", {}));
    await w.stub.untilMarked("disk.rescan");
    await w.stub.untilMarked("system.bios");
    const waiting = failureOf(w.executor.run("disk.list", {}));
    let closed = false;
    const closing = w.executor.close().then(() => {
      closed = true;
    });
    expect(await waiting).toMatchObject({ code: "Unavailable", message: "the executor is closed" });
    expect(await failureOf(w.executor.run("disk.list", {}))).toMatchObject({ code: "Unavailable" });
    await w.clock.advance(4_999);
    expect(w.stub.alive).toHaveLength(2);
    await w.clock.advance(1);
    expect((await read).message).toBe("system.bios: powershell was ended by SIGKILL");
    await until("only the change runs", () => w.stub.alive.length === 1);
    expect(closed).toBe(false);
    w.stub.open("disk.rescan");
    expect(await change).toEqual({ ok: true, data: null });
    await closing;
  });
});

test("close() waits for an operation that was asked for in the same moment, or it is never begun", async () => {
  await using w = world("print({ ok: true })");
  const call = failureOf(w.executor.run("volume.format", { volumeID: "a" }));
  await w.executor.close();
  expect(await call).toMatchObject({ code: "Unavailable", message: "the executor is closed" });
  expect(w.stub.starts).toEqual([]);
});

test("something that holds the pipes of a process that has ended does not hold up its answer", async () => {
  await using w = world("holdPipes(); print({ ok: true }); process.exit(0)");
  const call = w.executor.run("disk.rescan", {});
  await until("the exit is noticed", () => w.clock.waiting === 2);
  await w.clock.advance(5_000);
  expect(await call).toEqual({ ok: true, data: null });
});
