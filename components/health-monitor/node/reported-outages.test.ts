import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type Client, metav1Time, type V1Event } from "@csi-sidecars/kube";
import { failedNodeIn, messages, recoveredNodeIn } from "../messages.ts";
import { reportedOutages } from "./reported-outages.ts";

const clock = new FakeClock();
const failed = (claim: string, node: string, secondsAgo: number, resourceVersion = "1"): V1Event =>
  event("NodeFailed", claim, messages.nodeFailed("a b", claim, "default", node), secondsAgo, resourceVersion);
const recovered = (claim: string, node: string, secondsAgo: number, resourceVersion = "1"): V1Event =>
  event("NodeRecovered", claim, messages.nodeRecovered(node), secondsAgo, resourceVersion);

function event(reason: string, claim: string, message: string, secondsAgo: number, resourceVersion: string): V1Event {
  return {
    metadata: { name: claim, resourceVersion },
    involvedObject: { kind: "PersistentVolumeClaim", uid: claim },
    lastTimestamp: metav1Time(clock.now() - secondsAgo * 1_000),
    ...{ reason, message },
  };
}

/** Answers lists of events, one on each page. */
function read(events: readonly V1Event[]) {
  const selectors: string[] = [];
  const list = async (_resource: unknown, { fieldSelector = "", continue: from = "0" }: { fieldSelector?: string; continue?: string }) => {
    if (from === "0") selectors.push(fieldSelector);
    const matching = events.filter(({ reason }) => fieldSelector.startsWith(`reason=${reason},`));
    const next = Number(from) + 1;
    return { items: matching.slice(next - 1, next), metadata: next < matching.length ? { continue: `${next}` } : {} };
  };
  const kube = { list } as unknown as Client;
  return { selectors, outages: reportedOutages({ kube, source: "us", clock, signal: new AbortController().signal }) };
}

describe("reportedOutages", () => {
  test.each<[string, readonly V1Event[], [node: string, secondsAgo: number, told: string[]][]]>([
    ["nothing", [], []],
    ["a failure", [failed("a", "n1", 60)], [["n1", 60, ["a"]]]],
    [
      "several claims",
      [failed("a", "n1", 60), failed("b", "n1", 30), failed("b", "n2", 10)],
      [
        ["n1", 30, ["a", "b"]],
        ["n2", 10, ["b"]],
      ],
    ],
    ["a failure that is over", [failed("a", "n1", 60), recovered("a", "n1", 30)], []],
    ["one that is over for another claim", [failed("a", "n1", 60), recovered("b", "n1", 30)], [["n1", 60, ["a"]]]],
    ["one of another node", [failed("a", "n1", 60), recovered("a", "n2", 30)], [["n1", 60, ["a"]]]],
    ["a failure after a recovery", [failed("a", "n1", 90), recovered("a", "n1", 60), failed("a", "n1", 30)], [["n1", 30, ["a"]]]],
    ["both in one second", [failed("a", "n1", 60, "7"), recovered("a", "n1", 60, "8")], []],
    ["both in one second, the other way round", [failed("a", "n1", 60, "8"), recovered("a", "n1", 60, "7")], [["n1", 60, ["a"]]]],
    ["a clock that is ahead of ours", [failed("a", "n1", -60)], [["n1", 0, ["a"]]]],
    [
      "a combined event",
      [{ ...failed("a", "n1", 60), message: `(combined from similar events): ${messages.nodeFailed("p", "a", "d", "n9")}` }],
      [["n9", 60, ["a"]]],
    ],
    ["another text", [{ ...failed("a", "n1", 60), message: "something else" }], []],
  ])("%s", async (_what, events, expected) => {
    const found = await read(events).outages;
    const ago = (at = Number.NaN) => (clock.monotonic() - at) / 1_000;
    expect([...found].map(([node, { reportedAt, told }]) => [node, ago(reportedAt), [...told]])).toEqual(expected);
  });

  test("only the events of the source are listed, and recoveries only if there is a failure", async () => {
    const about = "involvedObject.kind=PersistentVolumeClaim,source=us";
    const nothing = read([]);
    await nothing.outages;
    expect(nothing.selectors).toEqual([`reason=NodeFailed,${about}`]);
    const something = read([failed("a", "n1", 60)]);
    await something.outages;
    expect(something.selectors).toEqual([`reason=NodeFailed,${about}`, `reason=NodeRecovered,${about}`]);
  });
});

test("the texts name their node", () => {
  expect(failedNodeIn(messages.nodeFailed("web", "data", "default", "ip-10-0-0-1.example.com"))).toBe("ip-10-0-0-1.example.com");
  expect(recoveredNodeIn(messages.nodeRecovered("ip-10-0-0-1.example.com"))).toBe("ip-10-0-0-1.example.com");
  expect([failedNodeIn(messages.nodeRecovered("n1")), recoveredNodeIn(messages.recovered())]).toEqual([undefined, undefined]);
});
