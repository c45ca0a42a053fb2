import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { play } from "./play.ts";

/** A story of one step, which is seen after so many seconds or never; what was told of it. */
async function told(
  seenAfterMs: number,
  warnings: readonly string[],
): Promise<{ readonly ended: boolean; readonly lines: readonly string[] }> {
  const clock = new FakeClock();
  const lines: string[] = [];
  const began = clock.monotonic();
  const left = [...warnings];
  const look = async () => (clock.monotonic() - began >= seenAfterMs ? "it is there" : undefined);
  const step = { title: "Do it", act: async () => {}, expected: "it", look };
  const playing = play(
    { steps: [step], remarks: [] },
    {
      ...{ signal: new AbortController().signal, clock, tell: (line: string) => void lines.push(line), lastWords: () => "last words" },
      lastWarning: async () => (left.length > 1 ? left.shift() : left[0]),
    },
  );
  let ended: boolean | undefined;
  void playing.then((value) => {
    ended = value;
  });
  while (ended === undefined) {
    await clock.advance(20);
  }
  return { ended, lines };
}

test("a step that is seen soon is told without more words", async () => {
  const { ended, lines } = await told(3_000, ["too early"]);
  expect(ended).toBe(true);
  expect(lines).toEqual(["1. Do it.", "   it is there  [3000 ms]", "Everything was seen: 1 steps in 3.0 s."]);
});

test("while a step is awaited, every few seconds tell what is complained about, if that is news", async () => {
  const { ended, lines } = await told(21_000, ["Failed a", "Failed a", "Failed b"]);
  expect(ended).toBe(true);
  expect(lines.slice(1, -2)).toEqual(["   waiting for it; Failed a", "   waiting for it; Failed b"]);
});

test("a step that is never seen ends the story", async () => {
  const { ended, lines } = await told(Number.POSITIVE_INFINITY, []);
  expect(ended).toBe(false);
  expect(lines).toEqual([
    "1. Do it.",
    "   waiting for it",
    "   FAILED: not seen within 60 s: it",
    "The last lines of csi-sidecars:\nlast words",
  ]);
});
