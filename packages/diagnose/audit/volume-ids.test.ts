import { expect, test } from "bun:test";
import { isSelected } from "./volume-ids.ts";

test.each<[string, string, string[], boolean]>([
  ["vol-1", "", [], true],
  ["pvc-1", "pvc-", [], true],
  ["projects/p/disks/pvc-1", "pvc-", [], true],
  ["group#account#pvc-1", "pvc-", [], true],
  ["image-1", "pvc-", [], false],
  ["image-1", "", ["image-*"], false],
  ["image-1", "", ["image-"], true],
  ["image-1", "", ["image-1"], false],
  ["a-b-c", "", ["a*b*c"], false],
  ["a-c", "", ["a*b*c"], true],
  ["ab", "", ["ab*b"], true],
  ["ab", "", ["a*b"], false],
  ["b-c", "", ["*b*"], false],
  ["abc", "", ["*b*b*c"], true],
  ["a.c", "", ["a?c", "a(c"], true],
])("%s with prefix %p without %p: %p", (id, prefix, ignore, expected) => expect(isSelected(id, { prefix, ignore })).toBe(expected));
