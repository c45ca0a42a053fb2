import type { Clock } from "@csi-sidecars/base";
import type { Cached } from "./fields.ts";
import type { Delivery, Handler, HandlerOptions, Registration } from "./handler.ts";
import { HandlerQueue } from "./handler-queue.ts";
import { Latch } from "./latch.ts";
import { replacement } from "./replacement.ts";
import { ResyncSchedule, type ResyncTurn } from "./resync-schedule.ts";
import type { Store } from "./store.ts";
import type { StoreChange } from "./store-change.ts";
import type { StringTable } from "./string-table.ts";

interface Member<P> {
  readonly queue: HandlerQueue<P>;
  readonly turn: ResyncTurn;
  readonly synced: Latch;
  /** The list after which it is told anything. */
  readonly after: Latch;
  joined: boolean;
}

/** All handlers of an informer: who is told what, and who again. */
export class HandlerGroup<P extends Cached> {
  readonly #store: Store<P>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown, where: string) => void;
  readonly #resync: ResyncSchedule;
  readonly #members = new Set<Member<P>>();

  constructor(store: Store<P>, clock: Clock, onError: (error: unknown, where: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
    this.#resync = new ResyncSchedule(clock, () => this.#resyncDue());
  }

  /** The handler joins when the list `after` is complete. */
  add(handler: Handler<P>, after: Latch, options: HandlerOptions): Registration {
    const synced = new Latch();
    const queue = new HandlerQueue(handler, {
      clock: this.#clock,
      onError: (error) => this.#onError(error, `handler ${options.name ?? "(unnamed)"}`),
      onInitial: () => synced.open(),
    });
    const member: Member<P> = { queue, turn: this.#resync.join(options.resyncMs), synced, after, joined: false };
    this.#members.add(member);
    this.admit();
    return {
      hasSynced: () => synced.isOpen,
      waitForSync: (signal) => synced.wait(signal),
      remove: () => {
        this.#members.delete(member);
        queue.close();
        synced.fail(new Error("the handler was removed before it had synced"));
      },
    };
  }

  /** Lets in those whose list is complete: one snapshot for all of them, whatever happens next comes after it. */
  admit(): void {
    let objects: readonly P[] | undefined;
    for (const member of this.#members) {
      if (member.joined || !member.after.isOpen) continue;
      member.joined = true;
      objects ??= this.#store.list();
      member.queue.push({ type: "initial", objects });
    }
  }

  tell(change: StoreChange<P>): void {
    switch (change.type) {
      case "Added":
        this.#broadcast({ type: "add", object: change.object });
        break;
      case "Updated":
        for (const delivery of ofChange(change.old, change.object)) this.#broadcast(delivery);
        break;
      case "Deleted":
        this.#broadcast({ type: "delete", object: change.object, finalStateUnknown: false });
        break;
      case "Filled":
        this.#resync.start([...this.#members].map((member) => member.turn));
        break;
      case "Replaced":
        this.#tellReplacement(change.before, change.after);
        break;
    }
  }

  stop(reason: Error): void {
    this.#resync.stop();
    for (const { queue, synced } of this.#members) {
      queue.close();
      synced.fail(reason);
    }
  }

  #broadcast(delivery: Delivery<P>): void {
    for (const member of this.#members) if (member.joined) member.queue.push(delivery);
  }

  /** Unchanged objects are news only to those whose resync is due; to them the list is their resync. */
  #tellReplacement(before: StringTable<P>, after: StringTable<P>): void {
    const joined = [...this.#members].filter((member) => member.joined);
    const due = joined.filter((member) => this.#resync.take(member.turn));
    for (const { type, old, object } of replacement(before, after)) {
      for (const { queue } of type === "unchanged" ? due : joined) {
        if (type === "gone") queue.push({ type: "delete", object, finalStateUnknown: true });
        else if (type === "new") queue.push({ type: "add", object });
        else for (const delivery of ofChange(old, object)) queue.push(delivery);
      }
    }
  }

  #resyncDue(): void {
    let objects: readonly P[] | undefined;
    for (const member of this.#members) {
      if (!member.joined || !this.#resync.take(member.turn)) continue;
      objects ??= this.#store.list();
      member.queue.push({ type: "resync", objects });
    }
  }
}

/** Another object under the same name, made while the watch was interrupted, is no change: the old one is gone, the other is new. */
function ofChange<P extends Cached>(old: P, object: P): readonly Delivery<P>[] {
  if (old.metadata.uid === object.metadata.uid) return [{ type: "update", old, object }];
  return [
    { type: "delete", object: old, finalStateUnknown: true },
    { type: "add", object },
  ];
}
