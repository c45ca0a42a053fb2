import { expect, test } from "bun:test";
import { ClaimConditions } from "./claim-conditions.ts";

const claim = (uid: string, name = uid) => ({ metadata: { namespace: "default", name, uid, resourceVersion: "1" } });
const [a, b, c] = [claim("a"), claim("b"), claim("c")];

/** The claims whose recovery is to be told. */
const recovered = (conditions: ClaimConditions, ...claims: readonly (typeof a)[]) =>
  claims.filter((each) => conditions.markNormal(each)).map(({ metadata }) => metadata.uid);

test("a recovery is told once, to those who were told that the volume is abnormal", () => {
  const conditions = new ClaimConditions();
  conditions.markAbnormal(a);
  conditions.markAbnormal(a);
  expect([conditions.isReported(a), conditions.isReported(b), conditions.reported]).toEqual([true, false, 1]);
  expect(recovered(conditions, a, b)).toEqual(["a"]);
  expect(recovered(conditions, a, b)).toEqual([]);
  expect(conditions.reported).toBe(0);
  conditions.markAbnormal(a);
  expect(recovered(conditions, a)).toEqual(["a"]);
});

test("what earlier processes reported counts, unless something newer was told meanwhile", () => {
  const conditions = new ClaimConditions();
  conditions.markAbnormal(a);
  recovered(conditions, a);
  conditions.markAbnormal(b);
  conditions.addEarlierReports(["a", "b", "c"]);
  expect(conditions.isReported(c)).toBe(true);
  expect(recovered(conditions, a, b, c)).toEqual(["b", "c"]);
  expect(recovered(conditions, a, b, c)).toEqual([]);
});

test("only what the last check found is counted", () => {
  const conditions = new ClaimConditions();
  conditions.addEarlierReports(["c"]);
  conditions.markAbnormal(b);
  conditions.markAbnormal(a);
  conditions.markAbnormal(b);
  expect([...conditions.abnormalClaims.keys()]).toEqual(["default/b", "default/a"]);
  conditions.volumeGone(b);
  conditions.volumeGone(c);
  expect([...conditions.abnormalClaims.keys()]).toEqual(["default/a"]);
  expect(recovered(conditions, a, b, c)).toEqual(["a", "b", "c"]);
  expect(conditions.abnormalClaims.size).toBe(0);
});

test("a claim that is deleted leaves nothing behind for one of its name", () => {
  const conditions = new ClaimConditions();
  conditions.addEarlierReports(["b"]);
  conditions.markAbnormal(a);
  conditions.claimGone(a);
  conditions.claimGone(b);
  expect(conditions.reported).toBe(0);
  expect(recovered(conditions, a, b, claim("a2", "a"))).toEqual([]);
});
