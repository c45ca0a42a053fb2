import { describe, expect, test } from "bun:test";
import { goQuote } from "@csi-sidecars/base";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import { isUtc, jsonFormat, textFormat } from "./formats.ts";
import type { LogLine } from "./structured-logger.ts";

const time = new Date(2026, 10, 5, 9, 2, 3, 45).getTime();
const line = (more: Partial<LogLine> = {}): LogLine => ({
  time,
  severity: "info",
  level: 0,
  logger: "",
  message: "Started",
  fields: [],
  ...more,
});
const text = textFormat("csi-sidecars", 42);
const body = (fields: Record<string, unknown>) => text(line({ fields: [fields] })).split('"Started"')[1];

class Rendered {
  readonly secret = "s3cr3t";
  toString(): string {
    return '{"name":"vol"}';
  }
}
const loop: Record<string, unknown> = {};
loop.self = loop;

describe("text", () => {
  test("has klog's header", () => {
    expect(text(line())).toBe('I1105 09:02:03.045000      42 csi-sidecars:0] "Started"\n');
    expect(text(line({ severity: "error", time: time + 0.25 }))).toStartWith("E1105 09:02:03.045250 ");
    expect(text(line({ logger: "attacher.va" }))).toStartWith(
      'I1105 09:02:03.045000      42 attacher.va:0] "Started" logger="attacher.va"',
    );
    expect(text(line())).toMatch(/^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d{6} +\d+ [^ :]+:\d+\] "/);
  });

  test("names the error first, then the logger, then the fields in their order", () => {
    expect(text(line({ severity: "error", logger: "attacher.va", error: "boom", fields: [{ key: "a" }, { driver: "d" }] }))).toEndWith(
      '] "Started" err="boom" logger="attacher.va" key="a" driver="d"\n',
    );
  });

  test("a field named twice has its last value", () => {
    expect(text(line({ fields: [{ key: "a", n: 1 }, { key: "b" }] }))).toEndWith('"Started" key="b" n=1\n');
  });

  test.each([
    ["text", "a b", '="a b"'],
    ["quotes and controls", 'a"b\\\t\u0001\u007f', '="a\\"b\\\\\\t\\x01\\x7f"'],
    ["printable beyond ASCII", "Grüße 日本 🚀", '="Grüße 日本 🚀"'],
    ["invisible beyond ASCII", "a\u200b\u{e0001}\u00a0", '="a\\u200b\\U000e0001\\u00a0"'],
    ["half a surrogate", "a\ud800", '="a\ufffd"'],
    ["several lines", "one\ntwo", "=<\n\tone\n\ttwo\n >"],
    ["several lines with an end", "one\ntwo\n", "=<\n\tone\n\ttwo\n >"],
    ["number", 1.5, "=1.5"],
    ["no number", Number.NaN, '="NaN"'],
    ["boolean", true, "=true"],
    ["big integer", 12n, "=12"],
    ["null", null, "=null"],
    ["object", { a: 1, b: ["x"] }, '={"a":1,"b":["x"]}'],
    ["list", [1, "a"], '=[1,"a"]'],
    ["map and set", { m: new Map([["a", 1]]), s: new Set([2]) }, '={"m":{"a":1},"s":[2]}'],
    ["error", new TypeError("bad"), '="bad"'],
    ["error without message", new TypeError(), '="TypeError"'],
    ["date", new Date(0), '="1970-01-01T00:00:00.000Z"'],
    ["own text", new Rendered(), '="{\\"name\\":\\"vol\\"}"'],
    ["own text inside a list", [new Rendered()], '=["{\\"name\\":\\"vol\\"}"]'],
    ["bytes", new Uint8Array(3), '="<3 bytes>"'],
  ])("%s", (_, value, expected) => {
    expect(body({ k: value })).toBe(` k${expected}\n`);
  });

  test("fields may have names that every object inherits", () => {
    const named = text(line({ fields: [{ a: 1 }, withInheritedNames("x")] }));
    expect(named).toEndWith('"Started" a=1 constructor="x" toString="x" hasOwnProperty="x" __proto__="x"\n');
  });

  test("undefined values are left out", () => {
    expect(body({ k: undefined, l: 1 })).toBe(" l=1\n");
  });

  test("a value that cannot be rendered costs the value, not the line", () => {
    expect(body({ k: loop })).toStartWith(' k="<unprintable: ');
    const broken = {
      toString() {
        throw new Error("no");
      },
    };
    expect(body({ k: broken })).toBe(' k="<unprintable: no>"\n');
  });
});

describe("json", () => {
  const object = (more: Partial<LogLine>) => JSON.parse(jsonFormat(line(more)));

  test("one object in one line, with the keys of Kubernetes' logs", () => {
    expect(jsonFormat(line({ logger: "attacher", level: 3, fields: [{ key: "a\nb" }] }))).toBe(
      `{"ts":${time},"msg":"Started","logger":"attacher","v":3,"key":"a\\nb"}\n`,
    );
    expect(jsonFormat(line({ severity: "error", error: "boom", fields: [{ n: 1 }] }))).toBe(
      `{"ts":${time},"msg":"Started","err":"boom","n":1}\n`,
    );
  });

  test("values keep their JSON type; own texts and errors are strings", () => {
    expect(object({ fields: [{ n: 1, o: { a: [true] }, s: new Rendered(), e: new Error("bad"), u: undefined, z: null }] })).toEqual({
      ts: time,
      msg: "Started",
      v: 0,
      n: 1,
      o: { a: [true] },
      s: '{"name":"vol"}',
      e: "bad",
      z: null,
    });
  });

  test("a field cannot pretend to be part of the line", () => {
    expect(object({ logger: "a", fields: [{ msg: "x", v: 7, logger: "b", ts: 1, err: "own" }] })).toMatchObject({
      msg: "Started",
      msg_: "x",
      v: 0,
      v_: 7,
      logger: "a",
      err: "own",
    });
  });
});

test.each([
  ["", '""'],
  ["\x07\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
  ["it's", '"it\'s"'],
])("goQuote(%j)", (given, expected) => {
  expect(goQuote(given)).toBe(expected);
});

const link = (target: string) => () => target;
const fails = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test.each([
  ["TZ says so", { TZ: "UTC" }, link("Europe/Berlin"), true],
  ["TZ is empty", { TZ: "" }, link("Europe/Berlin"), true],
  ["TZ names a file", { TZ: ":/usr/share/zoneinfo/Etc/UTC" }, link("x"), true],
  ["TZ names a place", { TZ: "Europe/Berlin" }, link("/usr/share/zoneinfo/UTC"), false],
  ["the system's zone is UTC", {}, link("/usr/share/zoneinfo/Etc/UTC"), true],
  ["the system's zone is elsewhere", {}, link("/usr/share/zoneinfo/America/Lima"), false],
  ["the system has no zone", {}, fails("ENOENT"), true],
  ["the zone is a file of unknown content", {}, fails("EINVAL"), false],
])("%s", (_, env, readLink, utc) => {
  expect(isUtc(env, readLink)).toBe(utc);
});
