import { expect, test } from "bun:test";
import { suggest } from "./suggest.ts";

test.each([
  ["a letter too many", "timeoutt", ["timeout"], "timeout"],
  ["two letters swapped, which is one mistake", "on", ["no"], "no"],
  ["the closest of several", "resizer-timeot", ["attacher-timeout", "resizer-timeout"], "resizer-timeout"],
  ["two mistakes in a word of four letters", "moXX", ["mode"], "mode"],
  ["three mistakes in a short word", "modal", ["timed"], undefined],
  ["a fourth of a long word wrong", "kubelet-registry-place", ["kubelet-registration-path"], undefined],
  ["a few mistakes in a long word", "plugin-registraton-pth", ["plugin-registration-path"], "plugin-registration-path"],
  ["five mistakes in a word of 24 letters", "plugin-registration-paXXXXX", ["plugin-registration-path"], "plugin-registration-path"],
  ["another word of two letters", "t5", ["v"], undefined],
])("%s: %s", (_, word, known, meant) => {
  expect(suggest(word, known)).toBe(meant);
});
