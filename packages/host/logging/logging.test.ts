import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { FakeClock, heapGrowth } from "@csi-sidecars/base/testing";
import { type LoggingOptions, startLogging } from "./logging.ts";
import { bufferedSink, descriptorSink, type Sink } from "./sink.ts";

function memory(): Sink & { readonly texts: string[]; flushed: number } {
  const texts: string[] = [];
  const sink = {
    texts,
    flushed: 0,
    write: (text: string) => void texts.push(text),
    flush: () => void sink.flushed++,
  };
  return sink;
}

function world(options: Partial<LoggingOptions> = {}) {
  const clock = new FakeClock();
  const sink = memory();
  const logging = startLogging({
    format: "json",
    verbosity: { all: 0 },
    program: "test",
    pid: 1,
    clock,
    info: sink,
    error: sink,
    ...options,
  });
  const lines = () => sink.texts.map((text) => JSON.parse(text));
  return { clock, sink, lines, messages: () => lines().map(({ msg }) => msg), ...logging };
}

describe("verbosity", () => {
  const shownUpTo = (verbosity: LoggingOptions["verbosity"], name: string) => {
    const { logger } = world({ verbosity });
    const named = name.split("/").reduce((log, part) => log.named(part), logger);
    return [...Array(10).keys()].filter((level) => named.v(level).enabled).at(-1);
  };

  test.each([
    ["all", { all: 2 }, "attacher", 2],
    ["more of one component", { all: 2, byComponent: new Map([["attacher", 5]]) }, "attacher", 5],
    ["more of its sub-loggers too", { all: 2, byComponent: new Map([["attacher", 5]]) }, "attacher/va", 5],
    ["not of others", { all: 2, byComponent: new Map([["attacher", 5]]) }, "resizer", 2],
    ["less of one component", { all: 4, byComponent: new Map([["attacher", 0]]) }, "attacher", 0],
    ["pattern", { all: 1, byPattern: [{ pattern: "attacher", verbosity: 6 }] }, "attacher/va", 6],
    ["pattern of a sub-logger", { all: 1, byPattern: [{ pattern: "*.va", verbosity: 6 }] }, "attacher/va", 6],
    ["pattern of a sub-logger, not its parent", { all: 1, byPattern: [{ pattern: "*.va", verbosity: 6 }] }, "attacher", 1],
    ["pattern with a wildcard", { all: 1, byPattern: [{ pattern: "att?cher", verbosity: 6 }] }, "attacher", 6],
    ["patterns only raise", { all: 4, byPattern: [{ pattern: "*", verbosity: 1 }] }, "attacher", 4],
    [
      "the first pattern decides",
      {
        all: 0,
        byPattern: [
          { pattern: "att*", verbosity: 2 },
          { pattern: "*", verbosity: 9 },
        ],
      },
      "attacher",
      2,
    ],
    ["a dot is a dot", { all: 0, byPattern: [{ pattern: "a.c", verbosity: 2 }] }, "abc", 0],
  ])("%s", (_, verbosity, name, expected) => {
    expect(shownUpTo(verbosity, name)).toBe(expected);
  });

  test("levels add up, errors are always shown, and a line says its level", () => {
    const { logger, lines } = world({ verbosity: { all: 3 } });
    logger.v(1).v(2).info("shown");
    logger.v(2).v(2).info("hidden");
    logger.v(9).error(new Error("e"), "failed");
    expect(lines()).toMatchObject([
      { msg: "shown", v: 3 },
      { msg: "failed", err: "e" },
    ]);
  });

  test("a value is rendered only when its line is shown", () => {
    const { logger } = world();
    let rendered = 0;
    const costly = { toString: () => `${++rendered}` };
    logger.v(1).info("hidden", { costly });
    logger.with({ costly }).v(5).info("hidden");
    expect(rendered).toBe(0);
    logger.info("shown", { costly });
    expect(rendered).toBe(1);
  });
});

describe("names and fields", () => {
  test.each(["text", "json"] as const)("loggers carry their dotted name in %s", (format) => {
    const { logger, sink } = world({ format });
    logger.named("attacher").named("va").with({ key: "a" }).named("deep").info("Hello", { n: 1 });
    expect(sink.texts[0]).toContain(
      format === "text" ? '"Hello" logger="attacher.va.deep" key="a" n=1\n' : '"logger":"attacher.va.deep","v":0,"key":"a","n":1}',
    );
  });

  test("fields of one logger do not reach another", () => {
    const { logger, lines } = world();
    logger.with({ a: 1 }).info("one");
    logger.info("two");
    expect(lines()).toMatchObject([{ a: 1 }, {}]);
    expect(lines()[1]).not.toHaveProperty("a");
  });

  test.each([
    ["an error", new Error("boom"), "boom"],
    ["a text", "boom", "boom"],
    ["an object", { code: 5 }, '{"code":5}'],
    ["nothing", undefined, undefined],
  ])("what was thrown may be %s", (_, thrown, err) => {
    const { logger, lines } = world();
    logger.error(thrown, "failed");
    expect(lines()[0].err).toBe(err);
  });
});

describe("equal errors", () => {
  const fail = (world_: ReturnType<typeof world>, key = "a", error = "down") =>
    world_.logger.named("c").error(new Error(error), "Sync failed", { key });

  test("the first is shown at once, the rest of a minute as one line", async () => {
    const w = world();
    for (let n = 0; n < 5; n++) fail(w);
    expect(w.lines()).toHaveLength(1);
    await w.clock.advance(60_000);
    expect(w.lines()).toHaveLength(2);
    expect(w.lines()[1]).toEqual({ ts: w.clock.now(), msg: "Sync failed", logger: "c", err: "down", key: "a", repeated: 4 });
  });

  test("while they go on there is one line a minute; afterwards the next one is news again", async () => {
    const w = world();
    fail(w);
    fail(w);
    await w.clock.advance(60_000);
    fail(w);
    await w.clock.advance(60_000);
    expect(w.lines().map(({ repeated }) => repeated)).toEqual([undefined, 1, 1]);
    await w.clock.advance(60_000);
    fail(w);
    expect(w.lines()).toHaveLength(4);
    expect(w.lines()[3]).not.toHaveProperty("repeated");
  });

  test("another object, error, message or logger is another error", () => {
    const w = world();
    fail(w, "a");
    fail(w, "b");
    fail(w, "a", "gone");
    w.logger.named("c").error(new Error("down"), "Other", { key: "a" });
    w.logger.named("d").error(new Error("down"), "Sync failed", { key: "a" });
    expect(w.lines()).toHaveLength(5);
  });

  test("nothing is lost at the end, and no timer stays", () => {
    const w = world();
    fail(w);
    fail(w);
    w.flush();
    expect(w.lines().map(({ repeated }) => repeated)).toEqual([undefined, 1]);
    expect([w.clock.waiting, w.sink.flushed > 0]).toEqual([0, true]);
  });

  test("are as many of 64 KiB each: they cost no memory, and their repetition shows how they begin", () => {
    const w = world({ error: { write: () => {}, flush: () => {} } });
    const growth = heapGrowth(() => {
      for (let n = 0; n < 3_000; n++) fail(w, String(n % 1_000), `${n % 1_000} ${Buffer.alloc(64 * 1024, "x")}`);
      return w;
    });
    expect(growth).toBeLessThan(16 * 1024 * 1024);
    const v = world();
    for (let n = 0; n < 2; n++) fail(v, "a", "x".repeat(5_000));
    v.flush();
    expect(v.lines().map(({ err }) => err)).toEqual(["x".repeat(5_000), `${"x".repeat(4_096)}... (5000 characters)`]);
  });

  test("too many different ones are all shown rather than kept", () => {
    const w = world();
    for (let n = 0; n < 1_500; n++) fail(w, String(n));
    for (let n = 0; n < 1_500; n++) fail(w, String(n));
    expect(w.lines()).toHaveLength(2_000);
    expect(w.clock.waiting).toBe(1_000);
    w.flush();
    expect(w.lines()).toHaveLength(3_000);
  });
});

describe("sinks", () => {
  test("info and errors may go to different ones", () => {
    const [out, err] = [memory(), memory()];
    const { logger } = world({ info: out, error: err });
    logger.info("fine");
    logger.error(undefined, "bad");
    expect([out.texts.length, err.texts.length]).toEqual([1, 1]);
  });

  test("a buffer is written when full, after its time, and on flush", async () => {
    const [clock, sink] = [new FakeClock(), memory()];
    const buffer = bufferedSink(sink, 10, 5_000, clock);
    buffer.write("1234");
    buffer.write("5678");
    expect(sink.texts).toEqual([]);
    buffer.write("90");
    expect(sink.texts).toEqual(["1234567890"]);
    buffer.write("a");
    await clock.advance(5_000);
    expect(sink.texts).toEqual(["1234567890", "a"]);
    buffer.write("b");
    buffer.flush();
    expect(sink.texts).toEqual(["1234567890", "a", "b"]);
    expect(clock.waiting).toBe(0);
  });

  test("a slow reader is waited for, a lost one is not", () => {
    const written: string[] = [];
    const outcomes = ["EAGAIN", 3, "EINTR", 100, "EPIPE"];
    const sink = descriptorSink(2, ((_: number, bytes: Uint8Array) => {
      const outcome = outcomes.shift() ?? "EPIPE";
      if (typeof outcome === "string") throw Object.assign(new Error(outcome), { code: outcome });
      const part = bytes.subarray(0, outcome);
      written.push(Buffer.from(part).toString());
      return part.length;
    }) as Parameters<typeof descriptorSink>[1]);
    sink.write("hello\n");
    expect(sink.isGone?.()).toBe(false);
    sink.write("nobody hears this\n");
    expect([written.join(""), outcomes, sink.isGone?.()]).toEqual(["hello\n", [], true]);
  });

  test("not a line is lost when a process logs much and ends at once", async () => {
    const child = spawn(process.execPath, [`${import.meta.dir}/testing/chatter.ts`], { stdio: ["ignore", "ignore", "pipe"] });
    const chunks: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
    expect([code, lines.length]).toEqual([1, 20_002]);
    expect(lines[19_999]).toContain("n=19999");
    expect(lines[20_001]).toEndWith('] "Last words" err="boom" repeated=1');
  });
});
