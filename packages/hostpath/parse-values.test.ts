import { describe, expect, test } from "bun:test";
import { parseEndpoint, quantityBytes } from "./parse-values.ts";

describe("quantities", () => {
  test.each([
    ["0", 0n],
    ["1024", 1024n],
    ["1Ki", 1024n],
    ["1.5Gi", 1_610_612_736n],
    ["10G", 10_000_000_000n],
    ["1e3", 1000n],
    ["1E", 10n ** 18n],
    ["1m", 1n],
    [".5Ki", 512n],
  ])("%s", (text, expected) => {
    expect(quantityBytes(text)).toBe(expected);
  });
  test.each(["", "x", "1gi", "-1", "1 Gi", "."])("%p is none", (text) => {
    expect(() => quantityBytes(text)).toThrow("is no quantity");
  });
});

describe("endpoints", () => {
  test.each<[string, object]>([
    ["unix:///tmp/csi.sock", { path: "/tmp/csi.sock" }],
    ["UNIX://csi.sock", { path: "csi.sock" }],
    ["/csi/csi.sock", { path: "/csi/csi.sock" }],
    ["tcp://127.0.0.1:9000", { host: "127.0.0.1", port: 9000 }],
    ["TCP://:9000", { host: undefined, port: 9000 }],
    ["tcp://[::1]:9000", { host: "::1", port: 9000 }],
  ])("%s", (text, expected) => {
    expect(parseEndpoint(text)).toEqual(expected as ReturnType<typeof parseEndpoint>);
  });
  test.each(["", "unix://", "tcp://x", "tcp://x:99999"])("%p is none", (text) => {
    expect(() => parseEndpoint(text)).toThrow("use ");
  });
});
