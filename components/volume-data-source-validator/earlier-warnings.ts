import type { Logger } from "@csi-sidecars/base";
import { claimEvents } from "@csi-sidecars/controller";
import { type Client, isForbidden } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";

interface EarlierWarningsOptions {
  readonly kube: Pick<Client, "list">;
  readonly log: Logger;
}

/**
 * Which claims the process before this one has warned about, as far as the API server still has its events: they are not warned about again.
 * The events are read once, and only when there is something to warn about.
 */
export class EarlierWarnings {
  readonly #options: EarlierWarningsOptions;
  #uids: Set<string> | undefined;
  #reading: Promise<void> | undefined;

  constructor(options: EarlierWarningsOptions) {
    this.#options = options;
  }

  get isKnown(): boolean {
    return this.#uids !== undefined;
  }

  /** Rejects where the events cannot be read now. */
  read(signal: AbortSignal): Promise<void> {
    this.#reading ??= this.#list(signal).then(
      (uids) => {
        this.#uids = uids;
      },
      (error: unknown) => {
        this.#reading = undefined;
        throw error;
      },
    );
    return this.#reading;
  }

  /** Whether there is a warning about the claim with this uid; said once: what happens to the claim later is a reason for another one. */
  take(uid: string): boolean {
    return this.#uids?.delete(uid) ?? false;
  }

  async #list(signal: AbortSignal): Promise<Set<string>> {
    const { kube, log } = this.#options;
    const uids = new Set<string>();
    try {
      for await (const { involvedObject } of claimEvents(kube, eventReasons.unrecognized, signal)) {
        if (involvedObject.uid) uids.add(involvedObject.uid);
      }
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.info("May not list events: claims that were warned about before a restart are warned about again");
    }
    return uids;
  }
}
