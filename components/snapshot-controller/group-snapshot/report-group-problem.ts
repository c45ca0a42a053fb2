import type { GroupSnapshot } from "../fields.ts";
import { reportProblem } from "../report-problem.ts";
import type { GroupContext } from "./group-context.ts";
import type { GroupProblem } from "./group-problem.ts";

/** Tells the user of a problem, once. */
export async function reportGroupProblem(c: GroupContext, group: GroupSnapshot, problem: GroupProblem, signal: AbortSignal): Promise<void> {
  const { warning } = problem;
  if (warning && group.status?.error?.message !== problem.message) c.groupEvents.warning(group, warning.reason, warning.message);
  await reportProblem({ target: c.groupTarget, events: c.groupEvents, clock: c.clock }, group, problem, signal);
}

/** The same for one that is retried. */
export async function failWith(c: GroupContext, group: GroupSnapshot, problem: GroupProblem, signal: AbortSignal): Promise<never> {
  await reportGroupProblem(c, group, problem, signal);
  throw new Error(problem.error ?? problem.message);
}
