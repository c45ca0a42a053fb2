import type { ObservedEvents } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";

/**
 * A step that is concluded from what nobody has reported. Whoever may not read the events cannot conclude that: then it is said what is not
 * known, and what the answer needs.
 */
export function unlessUnread(
  { unreadEvents: because }: Pick<ObservedEvents, "unreadEvents">,
  who: string,
  object: string,
  concluded: Step,
): Step {
  if (because === undefined) return concluded;
  const known = concluded.evidence.filter(({ field }) => field !== "events");
  return unreadStep(because, `${who} may have reported how far it is, but its events could not be read`, object, known);
}

/** What the events that could not be read would tell. */
export function unreadStep(because: string, what: string, object: string, known: readonly Evidence[] = []): Step {
  return step(
    "waiting",
    what,
    [{ object, field: "events", value: `could not be read: ${because}` }, ...known],
    because.startsWith("needs ")
      ? "run this as somebody who may list events (csi-sidecars rbac --for=why prints a role that reads all that is needed)"
      : "run this again: the answer is in the events",
  );
}
