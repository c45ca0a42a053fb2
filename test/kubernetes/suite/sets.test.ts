import { expect, test } from "bun:test";
import { setNames, sets } from "./sets.ts";

/** The sets that a test belongs to, as ginkgo chooses. */
function setsOf(name: string): string[] {
  const matches = (patterns: readonly string[]) => patterns.some((pattern) => new RegExp(pattern).test(name));
  return setNames.filter((set) => matches([sets[set].focus]) && !matches(sets[set].skip));
}

const external = "[sig-storage] External Storage [Driver: hostpath.csi.k8s.io] [Testpattern: Dynamic PV (default fs)]";

test.each([
  [`${external} volumes should store data`, ["fast", "ci"]],
  [`${external} volumeLimits should support volume limits [Serial]`, ["serial"]],
  ["[sig-storage] CSI Mock volume expansion should expand volume without restarting pod", ["mock"]],
  ["[sig-storage] CSI Mock volume limit should report attach limit when limit is bigger than 0 [Slow]", ["mock-slow"]],
  [
    "[sig-storage] CSI Mock volume node stage CSI NodeStage error cases [Slow] should retry NodeStage after NodeStage final error",
    ["mock-slow"],
  ],
  ["[sig-storage] CSI Mock Node Volume Health [FeatureGate:CSIVolumeHealth] [Alpha] [Feature:OffByDefault] [Slow] reports", []],
])("%s", (name, expected) => {
  expect(setsOf(name)).toEqual(expected);
});
