import type { Logger } from "@csi-sidecars/base";
import { apiCallOptions } from "@csi-sidecars/controller";
import { type Client, Event, isForbidden } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";

interface EarlierWarningsOptions {
  readonly kube: Pick<Client, "list">;
  readonly log: Logger;
}

const fieldSelector = `involvedObject.kind=PersistentVolumeClaim,reason=${eventReasons.unrecognized.reason}`;
const pageSize = 500;

/**
 * Which claims the process before this one has warned about, as far as the API server still has its events: they are not warned about again.
 * The events are listed once, and only when there is something to warn about: the server reads all events of the cluster for it.
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
      let page: string | undefined;
      do {
        const more = page === undefined ? {} : { continue: page };
        const { items, metadata } = await kube.list(Event, { ...apiCallOptions(signal), fieldSelector, limit: pageSize, ...more });
        for (const { involvedObject } of items) if (involvedObject.uid) uids.add(involvedObject.uid);
        page = metadata.continue || undefined;
      } while (page !== undefined);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.info("May not list events: claims that were warned about before a restart are warned about again");
    }
    return uids;
  }
}
