import { describe, expect, test } from "bun:test";
import { type OperationData, operationData } from "./operation-data.ts";

describe("operationData", () => {
  test("reads what the catalogue promises", () => {
    const data = operationData("disk.list", {
      n: 4294967295,
      m: "7",
      size: "18446744073709551615",
      small: 5,
      text: "",
      flag: false,
      none: null,
    });
    expect([data.uint32("n"), data.uint32("m"), data.optionalUint32("none")]).toEqual([4294967295, 7, undefined]);
    expect([data.bigint("size"), data.bigint("small")]).toEqual([18446744073709551615n, 5n]);
    expect([data.string("text"), data.optionalString("none"), data.optionalString("absent")]).toEqual(["", undefined, undefined]);
    expect(data.boolean("flag")).toBe(false);
    expect(operationData("system.dependents", ["a", "b"]).strings()).toEqual(["a", "b"]);
    expect([operationData("volume.get", null).isNull, data.isNull]).toEqual([true, false]);
  });

  test.each<[string, unknown, (data: OperationData) => unknown]>([
    ["data is not a list", { number: 1 }, (data) => data.list()],
    ["data is not a list", null, (data) => data.list()],
    ["data[1] is not a string", ["a", 1], (data) => data.strings()],
    ["data[0] is not an object", [null], (data) => data.list()[0]?.string("path")],
    ["data is not an object", "text", (data) => data.string("path")],
    ["data.path is not a string", { path: 1 }, (data) => data.optionalString("path")],
    ["data.flag is not a boolean", { flag: "true" }, (data) => data.boolean("flag")],
    ["data.n is not an unsigned 32-bit integer", { n: 4294967296 }, (data) => data.uint32("n")],
    ["data.n is not an unsigned 32-bit integer", { n: 1.5 }, (data) => data.uint32("n")],
    ["data.n is not an unsigned 32-bit integer", { n: "0x1" }, (data) => data.uint32("n")],
    ["data.size is not a 64-bit size", { size: 2 ** 60 }, (data) => data.bigint("size")],
    ["data.size is not a 64-bit size", { size: "-1" }, (data) => data.bigint("size")],
    ["data.size is not a 64-bit size", { size: null }, (data) => data.bigint("size")],
  ])("%s", (text, value, read) => {
    expect(() => read(operationData("disk.list", value))).toThrow(`disk.list: malformed answer: ${text}`);
  });
});
