import { expect, test } from "bun:test";
import { ProvisioningAttempts } from "./provisioning-attempts.ts";

test("the first failure is answered at once, later ones after a growing wait", () => {
  const attempts = new ProvisioningAttempts();
  const waits: number[] = [];
  for (const node of ["n1", "n2", "n1", "n2", "n1", "n2", "n1"]) {
    attempts.chose("default/app", node);
    waits.push(attempts.gaveUp("default/app"));
  }
  expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  expect([...attempts.failedNodes("default/app")]).toEqual(["n1", "n2"]);
});

test("a pod without a choice has no failure", () => {
  const attempts = new ProvisioningAttempts();
  expect(attempts.gaveUp("default/app")).toBe(0);
  attempts.chose("default/app", "n1");
  attempts.gaveUp("default/app");
  expect(attempts.gaveUp("default/app")).toBe(0);
  attempts.forget("default/app");
  expect(attempts.failedNodes("default/app").size).toBe(0);
});
