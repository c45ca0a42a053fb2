import type { Clock, Logger } from "@csi-sidecars/base";
import { KeyLocks } from "@csi-sidecars/controller";
import {
  done,
  itemExponential,
  type Priority,
  RateLimitingQueue,
  type RetryLimiter,
  Workers,
  type WorkQueueMetrics,
} from "@csi-sidecars/kube";
import type { Activity } from "./activity.ts";
import type { AttachmentReconcile } from "./attacher-context.ts";
import type { Attachment } from "./fields.ts";

export interface LanesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WorkQueueMetrics;
  /** `--worker-threads`, for each lane. */
  readonly concurrency: number;
  readonly retryStartMs: number;
  readonly retryMaxMs: number;
  readonly activity: Activity;
  /** The newest known state: decides which lane an attachment whose turn has come belongs to. */
  attachmentOf(name: string): Attachment | undefined;
}

type LaneName = "attach" | "detach";

const queueNames: Readonly<Record<LaneName, string>> = { attach: "csi-attacher-va", detach: "csi-attacher-va-detach" };

/**
 * Attaching and detaching have queues and workers of their own, so that an attach, for which a pod waits, never waits behind slow
 * detaches. Two rules hold across both: an attachment is worked on by one of them at a time, and the driver is called about a
 * volume by one at a time, as the CSI specification asks of its callers. So a volume that moves is detached from its old node
 * before it is attached to the new one, if both are under way here, and an attach that is deleted is detached after it has ended.
 */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #turns = new KeyLocks();
  readonly #queues: Readonly<Record<LaneName, RateLimitingQueue>>;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#queues = { attach: this.#queue("attach"), detach: this.#queue("detach") };
  }

  add(attachment: Attachment, priority: Priority = "normal"): void {
    this.#queues[attachment.metadata.deletionTimestamp ? "detach" : "attach"].add(attachment.metadata.name, priority);
  }

  /** The attachment is gone: one of the same name starts without its backoff. */
  forget(name: string): void {
    for (const queue of Object.values(this.#queues)) queue.forget(name);
  }

  /** Works until the signal aborts and everything in flight has ended. */
  async run(reconcile: Readonly<Record<LaneName, AttachmentReconcile>>, signal: AbortSignal): Promise<void> {
    const { clock, log, concurrency } = this.#options;
    const work = (lane: LaneName) =>
      new Workers({
        queue: this.#queues[lane],
        reconcile: async (name, workSignal) => {
          await this.#inTurn(lane, name, (enter) => reconcile[lane](name, enter, workSignal));
          return done;
        },
        ...{ concurrency, clock, log: log.with({ lane }) },
      }).run(signal);
    await Promise.all([work("attach"), work("detach")]);
  }

  async #inTurn(lane: LaneName, name: string, work: (enterVolume: (id: string) => boolean) => Promise<void>): Promise<void> {
    const who = `${lane}/${name}`;
    const enter = (place: string) => this.#turns.acquire(place, who, () => this.#queues[lane].add(name));
    try {
      if (!enter(`attachment/${name}`)) return;
      await this.#options.activity.during(name, () => work((volumeId) => enter(`volume/${volumeId}`)));
      this.#moveOn(lane, name);
    } finally {
      this.#turns.release(who);
    }
  }

  /** An attachment that was deleted while it was attached goes on in the other lane, whatever the watch tells when. */
  #moveOn(lane: LaneName, name: string): void {
    const attachment = lane === "attach" ? this.#options.attachmentOf(name) : undefined;
    if (attachment?.metadata.deletionTimestamp) this.add(attachment);
  }

  #queue(lane: LaneName): RateLimitingQueue {
    const { clock, metrics, retryStartMs, retryMaxMs } = this.#options;
    const limiter = itemExponential(retryStartMs, retryMaxMs);
    return new RateLimitingQueue({ clock, metrics: metrics.forQueue(queueNames[lane]), limiter: this.#patient(lane, limiter) });
  }

  /** Who went home because its turn has not come has not succeeded: its failures still count. */
  #patient(lane: LaneName, limiter: RetryLimiter): RetryLimiter {
    return {
      ...limiter,
      forget: (name) => {
        if (!this.#turns.isWaiting(`${lane}/${name}`)) limiter.forget(name);
      },
    };
  }
}
