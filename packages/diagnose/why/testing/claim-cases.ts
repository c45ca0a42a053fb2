import { expect, test } from "bun:test";
import type { Explanation } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { explainClaim } from "../steps/claim.ts";
import { claim, event, observedClaim } from "./objects.ts";

/** State and summary, and a piece of what to do. */
export type Expected = readonly [Explanation["state"], string, (string | RegExp | undefined)?];

/** Explains a claim and compares; gives the whole answer for more. */
export function check(observed: ObservedClaim, [state, summary, remedy]: Expected): Explanation {
  const answer = explainClaim(observed);
  expect([answer.state, answer.summary]).toEqual([state, summary]);
  const blocking = answer.steps.find((step) => step.what === summary);
  if (typeof remedy === "string") expect(blocking?.remedy).toContain(remedy);
  else if (remedy) expect(blocking?.remedy).toMatch(remedy);
  return answer;
}

/** A test for each row. */
export function table(cases: readonly (readonly [string, ObservedClaim, Expected])[]): void {
  for (const [name, observed, expected] of cases) test(name, () => void check(observed, expected));
}

/** What a provisioner says of a failed call. */
export const grpc = (code: string, text = "because") => `failed: rpc error: code = ${code} desc = ${text}`;

/** A claim for which the driver answered so. */
export const failedWith = (code: string) =>
  observedClaim(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc(code))] });
