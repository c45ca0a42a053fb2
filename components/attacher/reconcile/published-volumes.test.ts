import { describe, expect, test } from "bun:test";
import { comparePublished } from "./compare-published.ts";

const claim = (attached: boolean, name = "va") => ({ name, attached, volumeId: "handle1", nodeId: "nodeID1" });
const listed = new Map([["handle1", ["nodeID2", "nodeID1"]]]);
const elsewhere = new Map([["handle1", ["nodeID2"]]]);
const gone = new Map<string, string[]>();

describe("comparePublished", () => {
  test.each<[string, boolean, Map<string, string[]>, boolean]>([
    ["attached and listed", true, listed, false],
    ["attached and listed elsewhere", true, elsewhere, true],
    ["attached and not listed at all", true, gone, true],
    ["not attached and listed", false, listed, true],
    ["not attached and not listed", false, gone, false],
  ])("%s", (_what, attached, published, differs) => {
    const first = comparePublished([claim(attached)], published, new Map());
    expect(first.force).toEqual([]);
    expect(comparePublished([claim(attached)], published, first.suspects).force).toEqual(differs ? ["va"] : []);
  });

  test("two differences in opposite directions prove nothing", () => {
    const { suspects } = comparePublished([claim(true)], gone, new Map());
    expect(comparePublished([claim(false)], listed, suspects).force).toEqual([]);
  });

  test("a difference that went away in between proves nothing", () => {
    const { suspects } = comparePublished([claim(true)], gone, new Map());
    const { suspects: none } = comparePublished([claim(true)], listed, suspects);
    expect(comparePublished([claim(true)], gone, none).force).toEqual([]);
  });

  test("what was forced must differ twice again", () => {
    const once = comparePublished([claim(true)], gone, new Map());
    const twice = comparePublished([claim(true)], gone, once.suspects);
    const thrice = comparePublished([claim(true)], gone, twice.suspects);
    expect([once, twice, thrice].map(({ force }) => force.length)).toEqual([0, 1, 0]);
  });

  test("volumes that nobody claims are left alone", () => {
    expect(comparePublished([], listed, new Map())).toEqual({ force: [], suspects: new Map() });
  });
});
