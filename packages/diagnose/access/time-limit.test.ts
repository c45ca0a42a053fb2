import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { mapConcurrently, withTimeLimit } from "./time-limit.ts";

const never = () => new Promise<string>(() => {});
const idle = new AbortController().signal;

test.each<[string, () => Promise<string>, object]>([
  ["an answer", async () => "yes", { known: true, value: "yes" }],
  ["an error", () => Promise.reject(new Error("no")), { known: false, because: "no" }],
  [
    "an error with a cause",
    () => Promise.reject(new Error("no", { cause: new Error("refused") })),
    { known: false, because: "no: refused" },
  ],
  ["silence", never, { known: false, because: "no answer within 50 ms" }],
])("a call gets %s", async (_, work, answer) => {
  const clock = new FakeClock();
  const asked = withTimeLimit({ clock, limitMs: 50 }, idle, work);
  await clock.advance(50);
  expect(await asked).toEqual(answer as Awaited<typeof asked>);
  expect(clock.waiting).toBe(0);
});

test("an aborted call ends at once, and its work is aborted", async () => {
  const stop = new AbortController();
  let told = false;
  const asked = withTimeLimit({ clock: new FakeClock(), limitMs: 50 }, stop.signal, (signal) => {
    signal.addEventListener("abort", () => {
      told = true;
    });
    return never();
  });
  stop.abort();
  expect(await asked).toEqual({ known: false, because: "aborted" });
  expect(told).toBe(true);
});

test("mapConcurrently: never more than the limit, all of them, in order", async () => {
  let running = 0;
  let most = 0;
  const results = await mapConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return item * 2;
  });
  expect(results).toEqual([2, 4, 6, 8, 10, 12, 14]);
  expect(most).toBe(3);
});
