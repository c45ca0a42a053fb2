import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { runDemo } from "./run-demo.ts";

/** Runs a demo of one step, whose check passes after so many milliseconds or never. Returns what was printed. */
async function demo(
  passesAfterMs: number,
  warnings: readonly string[],
): Promise<{ readonly ended: boolean; readonly lines: readonly string[] }> {
  const clock = new FakeClock();
  const lines: string[] = [];
  const began = clock.monotonic();
  const left = [...warnings];
  const check = async () => (clock.monotonic() - began >= passesAfterMs ? "it is there" : undefined);
  const step = { title: "Do it", act: async () => {}, expected: "it", check };
  const running = runDemo(
    { steps: [step], remarks: [] },
    {
      ...{
        signal: new AbortController().signal,
        clock,
        print: (line: string) => void lines.push(line),
        logTails: () => ({ "csi-sidecars": "last lines", other: "" }),
      },
      lastWarning: async () => (left.length > 1 ? left.shift() : left[0]),
    },
  );
  let ended: boolean | undefined;
  void running.then((value) => {
    ended = value;
  });
  while (ended === undefined) {
    await clock.advance(20);
  }
  return { ended, lines };
}

test("a step that passes soon prints its result only", async () => {
  const { ended, lines } = await demo(3_000, ["too early"]);
  expect(ended).toBe(true);
  expect(lines).toEqual(["1. Do it.", "   it is there  [3000 ms]", "All 1 steps passed in 3.0 s."]);
});

test("a step that takes long prints the last warning every few seconds, if it is a new one", async () => {
  const { ended, lines } = await demo(21_000, ["Failed a", "Failed a", "Failed b"]);
  expect(ended).toBe(true);
  expect(lines.slice(1, -2)).toEqual(["   waiting for it; Failed a", "   waiting for it; Failed b"]);
});

test("a step that never passes ends the demo", async () => {
  const { ended, lines } = await demo(Number.POSITIVE_INFINITY, []);
  expect(ended).toBe(false);
  expect(lines).toEqual([
    "1. Do it.",
    "   waiting for it",
    "   FAILED: timed out after 60 s waiting for it",
    "The last lines of csi-sidecars:\nlast lines",
    "The last lines of other:\n",
  ]);
});
