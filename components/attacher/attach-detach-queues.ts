import {
  type AssumeCache,
  blocked,
  Controller,
  type ControllerContext,
  KeyedTryLock,
  type Reconcile,
  type ReconcileResult,
  type RetryIntervals,
  retryRateLimiter,
} from "@csi-sidecars/controller";
import type { Availability } from "@csi-sidecars/csi";
import type { Priority } from "@csi-sidecars/kube";
import type { AttachmentState } from "./attachment-state.ts";
import type { Attachment } from "./fields.ts";

/** Whether the reconcile may call the driver about the volume now. If not it is called again when it may. */
export type LockVolume = (volumeId: string) => boolean;

/** Reconciles one attachment, to attach or to detach it. */
export type AttachmentReconcile = (name: string, lockVolume: LockVolume, signal: AbortSignal) => Promise<ReconcileResult>;

export interface AttachDetachQueuesOptions {
  /** `--worker-threads`, of each queue. */
  readonly workers: number;
  readonly retryIntervals: RetryIntervals;
  readonly driver: Availability;
  readonly state: AttachmentState;
  readonly attachments: Pick<AssumeCache<Attachment>, "get">;
}

type Operation = "attach" | "detach";

const queueNames: Readonly<Record<Operation, string>> = { attach: "csi-attacher-va", detach: "csi-attacher-va-detach" };

/**
 * Attaching and detaching have queues and workers of their own, so that an attach, for which a pod waits, never waits behind slow
 * detaches. Two locks hold across both: an attachment is reconciled by one of them at a time, and there is one call to the driver per
 * volume at a time, as the CSI specification asks. So a volume that moves is detached from its old node before it is attached to the
 * new one, and an attachment that is deleted while it is attached is detached afterwards.
 */
export class AttachDetachQueues {
  readonly #options: AttachDetachQueuesOptions;
  readonly #locks = new KeyedTryLock();
  readonly #controllers: Readonly<Record<Operation, Controller>>;

  constructor(context: ControllerContext, options: AttachDetachQueuesOptions) {
    const { workers, retryIntervals, driver } = options;
    const controller = (operation: Operation) =>
      new Controller(
        { ...context, log: context.log.with({ operation }) },
        { name: queueNames[operation], rateLimiter: retryRateLimiter(retryIntervals), workers, driver },
      );
    this.#options = options;
    this.#controllers = { attach: controller("attach"), detach: controller("detach") };
  }

  enqueue(attachment: Attachment, priority: Priority = "normal"): void {
    const operation = attachment.metadata.deletionTimestamp ? "detach" : "attach";
    this.#controllers[operation].enqueue(attachment.metadata.name, priority);
  }

  /** The attachment is gone: one of the same name starts without its backoff. */
  forget(name: string): void {
    for (const { queue } of Object.values(this.#controllers)) queue.forget(name);
  }

  /** Reconciles until the signal aborts and the work in progress has ended. */
  async run(reconcile: Readonly<Record<Operation, AttachmentReconcile>>, signal: AbortSignal): Promise<void> {
    const { attach, detach } = this.#controllers;
    await Promise.all([
      attach.run(this.#locked("attach", reconcile.attach), signal),
      detach.run(this.#locked("detach", reconcile.detach), signal),
    ]);
  }

  #locked(operation: Operation, reconcile: AttachmentReconcile): Reconcile {
    const { state } = this.#options;
    return async (name, signal) => {
      const owner = `${operation}/${name}`;
      const lock = (key: string) => this.#locks.tryAcquire(key, owner, () => this.#controllers[operation].enqueue(name));
      try {
        if (!lock(`attachment/${name}`)) return blocked;
        const result = await state.whileReconciling(name, () => reconcile(name, (volumeId) => lock(`volume/${volumeId}`), signal));
        if (operation === "attach") this.#detachIfDeleted(name);
        return result;
      } finally {
        this.#locks.release(owner);
      }
    };
  }

  /** One that was deleted while it was attached is detached, however late the watch shows it. */
  #detachIfDeleted(name: string): void {
    const attachment = this.#options.attachments.get(name);
    if (attachment?.metadata.deletionTimestamp) this.enqueue(attachment);
  }
}
