import { expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { parseWarnings, warningLog } from "./warnings.ts";

test.each([
  ["one", '299 - "v1beta1 is deprecated"', ["v1beta1 is deprecated"]],
  ["escapes", String.raw`299 - "a \"quoted\" \\ word"`, [String.raw`a "quoted" \ word`]],
  ["a comma inside, several in one header", '299 - "a, b", 299 agent "c"', ["a, b", "c"]],
  ["with a date", '299 - "old" "Wed, 21 Oct 2015 07:28:00 GMT", 299 - "new"', ["old", "new"]],
  ["other codes are not ours", '199 - "misc", 299 - "mine"', ["mine"]],
  ["empty text", '299 - ""', []],
  ["malformed: no quotes", "299 - text", []],
  ["malformed after a good one", '299 - "good", 299 - "unterminated', ["good"]],
  ["empty", "", []],
])("%s", (_what, header, texts) => {
  expect(parseWarnings(header)).toEqual(texts);
});

test("each text is logged once", () => {
  const log = recordingLogger();
  const warn = warningLog(log);
  warn(undefined);
  warn('299 - "a"');
  warn('299 - "a", 299 - "b"');
  expect(log.lines.map(({ severity, level, message }) => [severity, level, message])).toEqual([
    ["info", 0, "Warning: a"],
    ["info", 0, "Warning: b"],
  ]);
});
