import { eventEvidence, lastSeen } from "../events.ts";
import { type Step, step } from "../explanation.ts";
import type { OperationHistory } from "../operation-events.ts";

/** The attempt that runs after one that failed: it changes nothing of what is known until it ends. */
export function attemptSteps({ attempt, failure }: OperationHistory): readonly Step[] {
  if (!attempt || !failure) return [];
  const since = new Date(lastSeen(attempt.event)).toISOString();
  return [step("waiting", "another attempt has begun, and has not ended yet", [{ ...eventEvidence(attempt.event), since }])];
}
