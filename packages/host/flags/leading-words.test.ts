import { expect, test } from "bun:test";
import { leadingWordsAsFlags } from "./leading-words.ts";

test.each([
  ["help", "--help"],
  ["help why", "why --help"],
  ["help csi-attacher", "csi-attacher --help"],
  ["version", "--version"],
  ["version 2", "version 2"],
  ["why pvc default/help", "why pvc default/help"],
  ["--v=2 help", "--v=2 help"],
  ["", ""],
])("%p is %p", (given, meant) => {
  const words = (line: string) => line.split(" ").filter((word) => word !== "");
  expect(leadingWordsAsFlags(words(given))).toEqual(words(meant));
});
