import type { ObservedEvents } from "../events.ts";
import type { Step } from "../explanation.ts";
import { unreadStep } from "./unread-step.ts";

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
  return unreadStep(because, `${who} may have reported how far it is, but its events could not be read`, object, "events", known);
}
