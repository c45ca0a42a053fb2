import { type Evidence, type Step, step } from "../explanation.ts";

/** What could not be read, and would tell the answer: `what` is said instead of it. `kind` is what has to be read, in the plural. */
export function unreadStep(because: string, what: string, object: string, kind = "events", known: readonly Evidence[] = []): Step {
  return step(
    "waiting",
    what,
    [{ object, field: kind, value: `could not be read: ${because}` }, ...known],
    because.startsWith("needs ")
      ? `run this as somebody who may read ${kind} (csi-sidecars rbac --for=why prints a role that reads all that is needed)`
      : `run this again: the answer is in the ${kind}`,
  );
}
