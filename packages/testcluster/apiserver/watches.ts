import type { FaultAction } from "./faults.ts";
import { matchesRequest, type RecordedRequest, type RequestMatch } from "./request-log.ts";
import type { Watch } from "./rest/watch.ts";

/** The open watches, so that a stop or a fault can end them. */
export class Watches {
  readonly #open = new Map<Watch, RecordedRequest>();

  /** Starts a watch; a fault cuts it after its number of events. */
  serve(
    request: RecordedRequest,
    fault: Extract<FaultAction, { do: "cutWatch" }> | undefined,
    start: (on: { readonly event: () => void; readonly close: () => void }) => Watch | undefined,
  ): void {
    let left = fault?.afterEvents ?? Number.POSITIVE_INFINITY;
    let watch: Watch | undefined;
    const cutIfDue = () => {
      if (left <= 0) watch?.cut(fault?.midEvent);
    };
    watch = start({
      event: () => {
        left--;
        cutIfDue();
      },
      close: () => watch && this.#open.delete(watch),
    });
    if (!watch) return;
    this.#open.set(watch, request);
    cutIfDue();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Ends the matching watches: "cut" breaks their connections, "end" closes the stream as a timeout does. */
  stop(match: RequestMatch, how: "cut" | "end"): void {
    const hit = [...this.#open].filter(([, request]) => matchesRequest(match, request));
    for (const [watch] of hit) {
      if (how === "cut") watch.cut();
      else watch.end();
    }
  }
}
