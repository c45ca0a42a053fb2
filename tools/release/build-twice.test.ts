import { expect, test } from "bun:test";
import { checksumsIn } from "./build-twice.ts";

test("checksums are read by file, blanks in names included", () => {
  const [a, b] = ["a".repeat(64), "b".repeat(64)];
  expect([...checksumsIn(`${a}  linux-amd64/program\n${b}  a file\n`)]).toEqual([
    ["linux-amd64/program", a],
    ["a file", b],
  ]);
});
