import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logFile } from "./log-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-file-"));
  path = join(folder, "csi-proxy.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("it goes on where the last process ended", () => {
  writeFileSync(path, "before\n");
  logFile(path, 0).write("after\n");
  expect(readFileSync(path, "utf8")).toBe("before\nafter\n");
});

test("a file that would exceed its limit starts anew, and no line is lost but those before", () => {
  writeFileSync(path, "12345\n");
  const sink = logFile(path, 12);
  sink.write("67890\n");
  expect(readFileSync(path, "utf8")).toBe("12345\n67890\n");
  sink.write("x\n");
  expect(readFileSync(path, "utf8")).toBe("x\n");
  sink.write("a line that is longer than the limit\n");
  expect(readFileSync(path, "utf8")).toBe("a line that is longer than the limit\n");
});
