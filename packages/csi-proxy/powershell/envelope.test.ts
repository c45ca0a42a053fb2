import { describe, expect, test } from "bun:test";
import { envelopeOf, parseJsonLine } from "./envelope.ts";

describe("an envelope", () => {
  test.each([
    ["data", '{"ok":true,"data":[1]}', { ok: true, data: [1] }],
    ["no data", '{"ok":true,"id":7}', { ok: true, data: null }],
    ["an error", '{"ok":false,"error":{"message":"m"}}', { ok: false, error: { message: "m" } }],
    [
      "an error with nulls, as PowerShell has them",
      '{"ok":false,"error":{"message":"","category":null,"fqid":null,"win32":null,"wmi":null}}',
      { ok: false, error: { message: "" } },
    ],
    [
      "all of an error",
      '{"ok":false,"error":{"message":"m","category":"c","fqid":"f","win32":5,"wmi":{"class":"k","method":"n","code":9,"x":1}}}',
      { ok: false, error: { message: "m", category: "c", fqid: "f", win32: 5, wmi: { class: "k", method: "n", code: 9 } } },
    ],
  ])("has %s", (_, line, expected) => expect(envelopeOf(parseJsonLine(line))).toEqual(expected as never));

  test.each([
    "",
    "x",
    "null",
    "[]",
    "1",
    "{}",
    '{"ok":1}',
    '{"ok":"true"}',
    '{"ok":false}',
    '{"ok":false,"error":"m"}',
    '{"ok":false,"error":{}}',
  ])("is not: %s", (line) => expect(envelopeOf(parseJsonLine(line))).toBeUndefined());
});
