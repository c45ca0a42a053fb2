import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import type { CsiProxyError } from "../csi-proxy-error.ts";
import { SessionExecutor, type SessionOptions } from "./session-executor.ts";
import { StubPowershell } from "./testing/stub-powershell.ts";

// A simulated host: the processes are real, PowerShell and Windows are not.

/** An executor whose sessions run this JavaScript. */
function world(session: string, options: Partial<SessionOptions> & { oneShot?: string } = {}) {
  const stub = new StubPowershell();
  const clock = new FakeClock();
  const log = recordingLogger();
  const scripts = { scriptOf: () => options.oneShot ?? "", sessionHostScript: () => session };
  const env = { PATH: process.env.PATH, CSI_PROXY_OP: "left over", smbpassword: "left over" };
  const executor = new SessionExecutor({ powershellPath: stub.path, scripts, clock, log, env, ...options });
  return {
    stub,
    clock,
    log,
    executor,
    /** What it said without verbosity. */
    get said() {
      return log.lines.filter(({ level }) => level === 0).map(({ message }) => message);
    },
    async [Symbol.asyncDispose]() {
      const closed = executor.close();
      await stub[Symbol.asyncDispose]();
      await closed;
      expect(clock.waiting).toBe(0);
    },
  };
}

/** The session answers with what it was asked, and with its process id. */
const echo = "await serve(({ op, params }) => ({ ok: true, data: { op, params, pid: process.pid } }))";
const pidOf = (envelope: unknown) => (envelope as { data: { pid: number } }).data.pid;
const failureOf = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    (value) => expect.unreachable(JSON.stringify(value)),
    (error) => error,
  );

describe("a session", () => {
  test("serves one operation after the other, with parameters that are in no command line and no environment", async () => {
    await using w = world(echo);
    const params = { smbremotepath: "\\\\h\\s", smbuser: "", smbpassword: "p\u00e4ss\u{1F511}\nword" };
    const [first, second] = [await w.executor.run("smb.newMapping", params), await w.executor.run("system.bios", {})];
    const { smbremotepath, smbpassword } = params;
    expect(first).toMatchObject({ ok: true, data: { op: "smb.newMapping", params: { smbremotepath, smbpassword } } });
    expect(first).not.toHaveProperty("data.params.smbuser");
    expect(pidOf(second)).toBe(pidOf(first));
    const argv = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Mta", "-OutputFormat", "Text", "-Command", echo];
    expect(w.stub.starts.map(({ argv, env }) => ({ argv, env }))).toEqual([{ argv, env: { PATH: process.env.PATH ?? "" } }]);
  });

  test("every operation is logged at verbosity 8, with the hash of the script and without its parameters", async () => {
    await using w = world(echo);
    await w.executor.run("system.getService", { ServiceName: "MSiSCSI" });
    const script = createHash("sha256").update(echo).digest("hex");
    expect(w.log.lines.map(({ level, message, fields }) => ({ level, message, fields }))).toEqual([
      { level: 8, message: "Asking a PowerShell session", fields: { op: "system.getService", script } },
    ]);
  });

  test("is asked in ASCII, with ids that are numbers", async () => {
    await using w = world("await serve((request, line) => ({ ok: true, data: line }))");
    expect(await w.executor.run("volume.get", { volumeID: "\u00e4\u{1F511}" })).toEqual({
      ok: true,
      data: String.raw`{"id":1,"op":"volume.get","params":{"volumeID":"\u00e4\ud83d\udd11"}}`,
    });
  });

  test("may answer with CRLF, in pieces, after noise, and with an error", async () => {
    await using w = world(`await serve(({ id }) => {
      write("WARNING: odd\\r\\n{}\\n" + JSON.stringify({ id: id + 7, ok: true }) + "\\n[1]\\n");
      const reply = Buffer.from(JSON.stringify({ id, ok: false, error: { message: "g\u00e4n\u00e4", category: "ObjectNotFound" } }) + "\\r\\n");
      for (const byte of reply) write(Buffer.from([byte]));
    })`);
    expect(await w.executor.run("system.bios", {})).toEqual({
      ok: false,
      error: { message: "g\u00e4n\u00e4", category: "ObjectNotFound" },
    });
    const noise = w.log.lines.filter(({ message }) => message.includes("printed more")).map(({ fields }) => fields.output);
    expect(noise).toEqual(["WARNING: odd", "{}", '{"id":8,"ok":true}', "[1]"]);
  });

  test("its secrets are neither in an error nor in a log line, not even late", async () => {
    await using w = world(`await serve(({ op, params }, line) => {
      if (op === "system.bios") return { ok: true, data: null };
      write("echo " + line + "\\n" + params.smbpassword + "\\n");
      process.stderr.write(params.smbpassword);
      setTimeout(() => write("late " + params.smbpassword + "\\n"), 1);
      return { ok: false, error: { message: "wrong: " + line } };
    })`);
    const secret = 'p\u00e4"ss word';
    const answer = await w.executor.run("smb.newMapping", { smbremotepath: "r", smbpassword: secret });
    await until("the late line", () => JSON.stringify(w.log.lines).includes("late "));
    expect(answer).toEqual({
      ok: false,
      error: { message: 'wrong: {"id":1,"op":"smb.newMapping","params":{"smbremotepath":"r","smbpassword":"***stripped***"}}' },
    });
    expect(JSON.stringify(w.log.lines)).not.toContain("ss word");
    expect(JSON.stringify(w.log.lines)).toContain("late ***stripped***");
  });
});

describe("the pool", () => {
  test("has a session for each of three operations at the same time, whose answers may come in any order", async () => {
    await using w = world(
      'await serve(async ({ params }) => { mark("begun-" + params.disk_number); await gate(params.disk_number); return { ok: true, data: { n: params.disk_number, pid: process.pid } } })',
      { concurrency: 8 },
    );
    const calls = ["1", "2", "3", "4"].map((disk_number) => w.executor.run("disk.list", { disk_number }));
    for (const name of ["begun-1", "begun-2", "begun-3"]) await w.stub.untilMarked(name);
    for (const name of ["3", "4", "2", "1"]) {
      w.stub.open(name);
      expect(await calls[Number(name) - 1]).toMatchObject({ data: { n: name } });
    }
    expect(w.stub.starts).toHaveLength(3);
  });

  test("many operations at once each get their own answer", async () => {
    await using w = world("await serve(({ params }) => ({ ok: true, data: params.volumeID }))");
    const ids = Array.from({ length: 200 }, (_, index) => `v${index}`);
    const answers = await Promise.all(ids.map((volumeID) => w.executor.run("volume.get", { volumeID })));
    expect(answers).toEqual(ids.map((data) => ({ ok: true, data })));
    expect(w.stub.starts.length).toBeLessThanOrEqual(3);
  });

  test("ends a session that was idle for five minutes", async () => {
    await using w = world(echo);
    const first = pidOf(await w.executor.run("system.bios", {}));
    await w.clock.advance(299_999);
    expect(pidOf(await w.executor.run("system.bios", {}))).toBe(first);
    await w.clock.advance(299_999);
    expect(w.stub.alive).toEqual([first]);
    await w.clock.advance(1);
    await w.stub.untilAllEnded();
    expect(pidOf(await w.executor.run("system.bios", {}))).not.toBe(first);
  });

  test("ends a session after so many operations", async () => {
    await using w = world(echo, { maxOperations: 2 });
    const pids: number[] = [];
    for (let i = 0; i < 5; i++) pids.push(pidOf(await w.executor.run("disk.rescan", {})));
    expect(new Set(pids).size).toBe(3);
    expect([pids[0] === pids[1], pids[2] === pids[3], pids[1] === pids[2], pids[3] === pids[4]]).toEqual([true, true, false, false]);
    await until("the first two end", () => w.stub.alive.length === 1);
  });

  test("kills an idle session that does not end by itself within 5 s", async () => {
    await using w = world(`${echo}; mark("input-ended"); await gate("never")`);
    const pid = pidOf(await w.executor.run("system.bios", {}));
    await w.clock.advance(300_000);
    await w.stub.untilMarked("input-ended");
    await w.clock.advance(4_999);
    expect(w.stub.alive).toEqual([pid]);
    await w.clock.advance(1);
    await w.stub.untilAllEnded();
  });
});

describe("a session that is lost", () => {
  /** The first process dies over its second operation; every other one works. */
  const dies = (how: string) => `await serve(({ id, op, params }) => {
    if (id === 2 && !params.volumeID?.startsWith("again") && op !== "system.bios") { mark("reached"); ${how} }
    return { ok: true, data: { pid: process.pid } };
  })`;
  const ways = [
    ["it crashes", "process.exit(1)"],
    ["it is killed", 'process.kill(process.pid, "SIGKILL")'],
    ["it answers in no known form", "return { ok: 1 }"],
    ["it prints too long a line", 'for (let i = 0; i < 17; i++) write("x".repeat(1 << 20)); return'],
  ] as const;

  test.each(ways)("a change that was under way fails, and is not repeated: %s", async (_, how) => {
    await using w = world(dies(how));
    const first = pidOf(await w.executor.run("system.bios", {}));
    const failure = await failureOf(w.executor.run("volume.format", { volumeID: "a" }));
    expect(failure).toMatchObject({ code: "Unavailable", op: "volume.format" });
    expect(failure.message).toStartWith("volume.format: the PowerShell session ");
    expect(w.stub.starts).toHaveLength(1);
    expect(pidOf(await w.executor.run("volume.format", { volumeID: "again" }))).not.toBe(first);
  });

  test.each(ways)("a read is repeated on a fresh one: %s", async (_, how) => {
    await using w = world(dies(how));
    const first = pidOf(await w.executor.run("system.bios", {}));
    const second = pidOf(await w.executor.run("volume.get", { volumeID: "a" }));
    expect(second).not.toBe(first);
    await until("the first is gone", () => w.stub.alive.length === 1);
    expect(w.stub.starts).toHaveLength(2);
  });

  test("a read is repeated only once", async () => {
    await using w = world(`await serve(({ id, op }) => { if (op === "volume.get") process.exit(4); return { ok: true, data: null } })`);
    // Both workers have answered before: they did start.
    await w.executor.run("system.bios", {});
    const failure = await failureOf(w.executor.run("volume.get", {}));
    expect(failure).toMatchObject({ code: "Unavailable", message: "volume.get: the PowerShell session ended with exit code 4" });
    expect(w.stub.starts).toHaveLength(2);
    expect(w.said).toEqual([]);
  });

  test("one that dies while it is idle costs nothing", async () => {
    await using w = world(echo);
    const pid = pidOf(await w.executor.run("disk.rescan", {}));
    process.kill(pid, "SIGKILL");
    await until("its timer is gone", () => w.clock.waiting === 0);
    expect(pidOf(await w.executor.run("disk.rescan", {}))).not.toBe(pid);
  });

  test("a change that goes on behind too long a line keeps its slot until the process has ended", async () => {
    await using w = world(
      `await serve(async ({ op }) => {
        if (op === "system.bios") return { ok: true, data: null };
        for (let i = 0; i < 17; i++) write("x".repeat(1 << 20));
        await gate("format"); mark("formatted");
      })`,
      { concurrency: 1 },
    );
    let ended = false;
    expect(await failureOf(w.executor.run("volume.format", { volumeID: "a" }))).toMatchObject({ code: "Unavailable" });
    const next = w.executor.run("system.bios", {}).then(() => {
      ended = true;
    });
    await w.clock.advance(30_000);
    expect([w.stub.alive.length, w.stub.marked("formatted"), ended]).toEqual([1, false, false]);
    w.stub.open("format");
    await next;
    expect(w.stub.marked("formatted")).toBe(true);
  });
});

describe("a PowerShell that does not start as a session", () => {
  const oneShot = "print({ ok: true, data: { by: process.env.CSI_PROXY_OP } })";

  test("twice in a row: a read is answered by a process of its own, like all that follow, and it is said once", async () => {
    await using w = world('process.stderr.write("no such switch"); process.exit(1)', { oneShot });
    expect(await w.executor.run("volume.get", { volumeID: "a" })).toEqual({ ok: true, data: { by: "volume.get" } });
    expect(await w.executor.run("disk.rescan", {})).toEqual({ ok: true, data: { by: "disk.rescan" } });
    expect(w.stub.starts).toHaveLength(4);
    expect(w.said).toEqual(["Warning: PowerShell does not start as a session; every operation gets a process of its own from now on"]);
  });

  test("a change fails both times, and only then gets a process of its own", async () => {
    await using w = world('process.stderr.write("no such switch"); process.exit(1)', { oneShot });
    const message = "disk.rescan: the PowerShell session ended with exit code 1: no such switch";
    expect(await failureOf(w.executor.run("disk.rescan", {}))).toMatchObject({ code: "Unavailable", message });
    expect(await failureOf(w.executor.run("disk.rescan", {}))).toMatchObject({ code: "Unavailable", message });
    expect(await w.executor.run("disk.rescan", {})).toEqual({ ok: true, data: { by: "disk.rescan" } });
  });

  test("an answer in between starts the count again", async () => {
    await using w = world(`if (isOpen("broken")) process.exit(1); ${echo}`, { oneShot });
    w.stub.open("broken");
    await failureOf(w.executor.run("disk.rescan", {}));
    w.stub.shut("broken");
    await w.executor.run("system.bios", {});
    const [pid = 0] = w.stub.alive;
    process.kill(pid, "SIGKILL");
    await until("it is gone", () => w.clock.waiting === 0);
    w.stub.open("broken");
    await failureOf(w.executor.run("disk.rescan", {}));
    expect(w.said).toEqual([]);
  });

  test("a program that is not there is Unavailable by name", async () => {
    await using w = world(echo, { powershellPath: "/nowhere/powershell" });
    for (const op of ["system.bios", "disk.rescan", "system.bios"]) {
      const failure = await failureOf(w.executor.run(op, {}));
      expect(failure.code).toBe("Unavailable");
      expect(failure.message).toStartWith("powershell could not be started: ");
    }
  });
});

describe("time", () => {
  const hangs = `await serve(async ({ op, params }) => {
    mark("begun-" + op);
    if (op !== "system.bios") await gate(op);
    mark("end-" + op);
    return { ok: true, data: { pid: process.pid } };
  })`;

  test("a read is killed after 60 s with its session, and not repeated", async () => {
    await using w = world(hangs);
    const call = failureOf(w.executor.run("volume.get", { volumeID: "a" }));
    await w.stub.untilMarked("begun-volume.get");
    await w.clock.advance(60_000);
    expect(await call).toMatchObject({ code: "DeadlineExceeded", message: "volume.get: timed out after 60 s" });
    await w.stub.untilAllEnded();
    await w.executor.run("system.bios", {});
    expect(w.stub.starts).toHaveLength(2);
  });

  test("an aborted change goes on in its session, which then serves again", async () => {
    await using w = world(hangs, { concurrency: 1 });
    const abort = new AbortController();
    let end: Promise<void> | undefined;
    const options = { signal: abort.signal, onAbandoned: (ended: Promise<void>) => (end = ended) };
    const format = failureOf(w.executor.run("volume.format", { volumeID: "a" }, options));
    await w.stub.untilMarked("begun-volume.format");
    abort.abort();
    expect(await format).toMatchObject({ code: "Aborted" });
    const next = w.executor.run("system.bios", {});
    await w.clock.advance(120_000);
    expect([w.stub.alive.length, w.stub.marked("begun-system.bios")]).toEqual([1, false]);
    w.stub.open("volume.format");
    await end;
    await next;
    expect(w.stub.starts).toHaveLength(1);
  });

  test("close() lets what is under way end: reads for 5 s, changes for as long as they take", async () => {
    await using w = world(hangs);
    await w.executor.run("system.bios", {});
    const change = w.executor.run("volume.format", { volumeID: "a" });
    const read = failureOf(w.executor.run("volume.get", { volumeID: "a" }));
    await w.stub.untilMarked("begun-volume.format");
    await w.stub.untilMarked("begun-volume.get");
    let closed = false;
    const closing = w.executor.close().then(() => {
      closed = true;
    });
    await w.clock.advance(5_000);
    expect((await read).code).toBe("Unavailable");
    await until("only the change runs", () => w.stub.alive.length === 1);
    await w.clock.advance(60_000);
    expect([closed, w.stub.alive.length]).toEqual([false, 1]);
    w.stub.open("volume.format");
    expect(await change).toMatchObject({ ok: true });
    await closing;
    expect(w.stub.alive).toEqual([]);
    expect(await failureOf(w.executor.run("system.bios", {}))).toMatchObject({ code: "Unavailable", message: "the executor is closed" });
  });

  test("close() ends idle sessions at once", async () => {
    await using w = world(echo);
    await w.executor.run("system.bios", {});
    await w.executor.close();
    expect(w.stub.alive).toEqual([]);
  });
});
