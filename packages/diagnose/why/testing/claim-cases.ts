import { expect, test } from "bun:test";
import { explain } from "../explain.ts";
import type { Explanation } from "../explanation.ts";
import type { ClaimFacts } from "../facts.ts";
import { claim, claimFacts, event } from "./objects.ts";

/** State and summary, and a piece of what to do. */
export type Expected = readonly [Explanation["state"], string, string?];

/** Explains a claim and compares; gives the whole answer for more. */
export function check(facts: ClaimFacts, [state, summary, remedy]: Expected): Explanation {
  const answer = explain(facts);
  expect([answer.state, answer.summary]).toEqual([state, summary]);
  const blocking = answer.steps.find((step) => step.what === summary);
  if (remedy !== undefined) expect(blocking?.remedy).toContain(remedy);
  return answer;
}

/** A test for each row. */
export function table(cases: readonly (readonly [string, ClaimFacts, Expected])[]): void {
  for (const [name, facts, expected] of cases) test(name, () => void check(facts, expected));
}

/** What a provisioner says of a failed call. */
export const grpc = (code: string, text = "because") => `failed: rpc error: code = ${code} desc = ${text}`;

/** A claim for which the driver answered so. */
export const failedWith = (code: string) =>
  claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc(code))] });
