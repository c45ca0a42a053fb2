import { describe, expect, test } from "bun:test";
import { compareWithPublished } from "./published-volumes.ts";

const reported = (attached: boolean, name = "va") => ({ name, attached, volumeId: "handle1", nodeId: "nodeID1" });
const listed = new Map([["handle1", ["nodeID2", "nodeID1"]]]);
const elsewhere = new Map([["handle1", ["nodeID2"]]]);
const gone = new Map<string, string[]>();

describe("compareWithPublished", () => {
  test.each<[string, boolean, Map<string, string[]>, boolean]>([
    ["attached and listed", true, listed, false],
    ["attached and listed elsewhere", true, elsewhere, true],
    ["attached and not listed at all", true, gone, true],
    ["not attached and listed", false, listed, true],
    ["not attached and not listed", false, gone, false],
  ])("%s", (_what, attached, published, differs) => {
    const first = compareWithPublished([reported(attached)], published, new Map());
    expect(first.confirmed).toEqual([]);
    expect(compareWithPublished([reported(attached)], published, first.unconfirmed).confirmed).toEqual(differs ? ["va"] : []);
  });

  test("two differences in opposite directions prove nothing", () => {
    const { unconfirmed } = compareWithPublished([reported(true)], gone, new Map());
    expect(compareWithPublished([reported(false)], listed, unconfirmed).confirmed).toEqual([]);
  });

  test("a difference that went away in between proves nothing", () => {
    const { unconfirmed } = compareWithPublished([reported(true)], gone, new Map());
    const { unconfirmed: none } = compareWithPublished([reported(true)], listed, unconfirmed);
    expect(compareWithPublished([reported(true)], gone, none).confirmed).toEqual([]);
  });

  test("what was confirmed must differ twice again", () => {
    const once = compareWithPublished([reported(true)], gone, new Map());
    const twice = compareWithPublished([reported(true)], gone, once.unconfirmed);
    const thrice = compareWithPublished([reported(true)], gone, twice.unconfirmed);
    expect([once, twice, thrice].map(({ confirmed }) => confirmed.length)).toEqual([0, 1, 0]);
  });

  test("volumes without attachment are left alone", () => {
    expect(compareWithPublished([], listed, new Map())).toEqual({ confirmed: [], unconfirmed: new Map() });
  });
});
