import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { ClaimVerdicts } from "./claim-verdicts.ts";

test("the wait for a populator begins when it is first missed, and again when it has been there", async () => {
  const clock = new FakeClock();
  const verdicts = new ClaimVerdicts(clock, 2_000);
  expect(verdicts.missing("a")).toBe(2_000);
  await clock.advance(1_500);
  expect([verdicts.missing("a"), verdicts.missing("b")]).toEqual([500, 2_000]);
  expect(verdicts.found("a")).toBe(true);
  await clock.advance(1_500);
  expect([verdicts.missing("a"), verdicts.missing("b")]).toEqual([2_000, 500]);
  expect(verdicts.of("a")).toBe("populator");
  expect(verdicts.found("a")).toBe(false);
  await clock.advance(500);
  expect(verdicts.missing("b")).toBe(0);
});

test("invalid claims are counted until they are valid, bound or gone", () => {
  const verdicts = new ClaimVerdicts(new FakeClock(), 0);
  for (const uid of ["a", "b", "c"]) verdicts.invalid(uid);
  expect(verdicts.invalidClaims).toBe(3);
  verdicts.found("a");
  verdicts.forget("b");
  expect([verdicts.invalidClaims, verdicts.of("a"), verdicts.of("b"), verdicts.of("c")]).toEqual([1, "populator", undefined, "invalid"]);
});
