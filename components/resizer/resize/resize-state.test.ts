import { describe, expect, test } from "bun:test";
import { FakeClock, heapGrowth } from "@csi-sidecars/base/testing";
import { ResizeState } from "./resize-state.ts";

const infeasible = { kind: "final", infeasible: true, inUse: false, message: "too large" } as const;
const failed = { kind: "final", infeasible: false, inUse: false, message: "no" } as const;
const uncertain = { kind: "uncertain", message: "lost" } as const;
const transient = { kind: "transient", message: "no secret" } as const;
const expansion = { capacity: "2Gi", nodeExpansionRequired: true };

function world() {
  const clock = new FakeClock();
  return { clock, state: new ResizeState(1_000, clock) };
}

describe("how the latest attempt ended", () => {
  test.each([
    ["final", [failed], true],
    ["infeasible", [infeasible], true],
    ["uncertain", [uncertain], false],
    ["uncertain after a final one", [failed, uncertain], false],
    ["not sent after a final one", [failed, transient], true],
    ["not sent", [transient], false],
  ])("%s", (_what, failures, expected) => {
    const { state } = world();
    for (const failure of failures) state.failed("a", 5n, failure);
    expect([state.endedWithError("a"), state.endedWithError("b")]).toEqual([expected, false]);
  });

  test("it stays known until the volume is expanded, or the claim is gone", () => {
    for (const [end, expected] of [
      ["ended", true],
      ["forget", false],
    ] as const) {
      const { state } = world();
      state.failed("a", 5n, failed);
      state[end]("a");
      expect(state.endedWithError("a")).toBe(expected);
    }
    const { state } = world();
    state.failed("a", 5n, failed);
    state.expanded("a", 5n, expansion);
    expect(state.endedWithError("a")).toBe(false);
  });
});

describe("a size that is infeasible", () => {
  test("is refused for a period, which begins with the answer", async () => {
    const { state, clock } = world();
    state.failed("a", 5n, infeasible);
    await clock.advance(400);
    expect(state.refusal("a", 5n)).toEqual({ cause: "too large", remainingMs: 600 });
    await clock.advance(600);
    expect([state.refusal("a", 5n), state.counts().infeasible]).toEqual([undefined, 0]);
    state.failed("a", 5n, infeasible);
    expect(state.refusal("a", 5n)?.remainingMs).toBe(1_000);
  });

  test.each([
    ["another size", (state: ResizeState) => state.refusal("a", 4n)],
    ["another answer", (state: ResizeState) => state.failed("a", 5n, failed)],
    ["an uncertain end", (state: ResizeState) => state.failed("a", 5n, uncertain)],
    ["success", (state: ResizeState) => state.expanded("a", 5n, expansion)],
    ["the end of the claim", (state: ResizeState) => state.forget("a")],
  ])("%s ends that", (_what, end) => {
    const { state } = world();
    state.failed("a", 5n, infeasible);
    expect(state.counts().infeasible).toBe(1);
    end(state);
    expect([state.refusal("a", 5n), state.counts().infeasible]).toEqual([undefined, 0]);
  });
});

describe("an expansion that is not saved", () => {
  test("is known for its size", () => {
    const { state } = world();
    state.expanded("a", 5n, expansion);
    expect([state.unsaved("a", 5n), state.unsaved("a", 6n), state.unsaved("b", 5n)]).toEqual([expansion, undefined, undefined]);
    state.ended("a");
    expect(state.unsaved("a", 5n)).toBeUndefined();
  });

  test("counts its failures", () => {
    const { state } = world();
    state.expanded("a", 5n, expansion);
    expect(state.saveFailed("a", 10)).toEqual({ attempts: 1, since: 10 });
    expect(state.saveFailed("a", 20)).toEqual({ attempts: 2, since: 10 });
    expect(state.unsaved("a", 5n)).toEqual(expansion);
  });
});

test("claims are counted from the first attempt on", () => {
  const { state } = world();
  state.begun("a");
  state.begun("a");
  state.begun("b");
  expect(state.counts().pending).toBe(2);
  state.ended("a");
  expect(state.counts().pending).toBe(1);
});

test("of why the driver refused a size no more is kept than a condition shows", () => {
  const { state } = world();
  const growth = heapGrowth(() => {
    for (let n = 0; n < 500; n++) state.failed(`claim-${n}`, 5n, { ...infeasible, message: `${n} ${Buffer.alloc(64 * 1024, "x")}` });
    return state;
  });
  expect(state.refusal("claim-7", 5n)?.cause).toHaveLength(16 * 1024);
  expect(growth).toBeLessThan(500 * 20 * 1024);
});
