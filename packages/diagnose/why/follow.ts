import type { Clock } from "@csi-sidecars/base";
import { unreadableNote } from "../access/notes.ts";
import type { Explanation } from "./explanation.ts";

interface FollowOptions {
  explain(): Promise<Explanation>;
  /** Called with the first explanation, and whenever another one says something else. */
  tell(explanation: Explanation): void;
  readonly clock: Pick<Clock, "sleep">;
  readonly intervalMs: number;
  /** Aborts when nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/** Follows an object until it is fine, or gone; an API server that is away for a while ends nothing. Returns what was said last; `undefined` if it was stopped before the first answer. */
export async function follow({ explain, tell, clock, intervalMs, signal }: FollowOptions): Promise<Explanation | undefined> {
  let last: Explanation | undefined;
  while (!signal.aborted) {
    const next = await explain();
    if (last === undefined || whatIsSaid(next) !== whatIsSaid(last)) tell(next);
    const isUnread = next.unreadable.some((note) => note.startsWith(unreadableNote(next.subject)));
    const isOver = next.state === "done" || (!next.found && !(isUnread && last !== undefined));
    last = next;
    if (isOver) break;
    await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
  return last;
}

/** Without times and counts, which change while nothing happens. */
function whatIsSaid({ state, summary, steps, remarks, unreadable }: Explanation): string {
  return JSON.stringify([state, summary, steps.map((each) => [each.state, each.what, each.remedy]), remarks, unreadable]);
}
