import type { Clock } from "@csi-sidecars/base";
import type { Cached } from "../fields/fields.ts";
import type { Store } from "../store/store.ts";
import { diffLists, type StoreChange } from "../store/store-change.ts";
import type { StringTable } from "../store/string-table.ts";
import { Completion } from "./completion.ts";
import { type Handler, type HandlerOptions, HandlerQueue, type HandlerRegistration, type Notification } from "./event-handler.ts";
import { type HandlerResync, ResyncSchedule } from "./resync-schedule.ts";

interface Member<P> {
  readonly queue: HandlerQueue<P>;
  readonly resync: HandlerResync;
  readonly synced: Completion;
  /** The list that must be complete before it is notified. */
  readonly after: Completion;
  joined: boolean;
}

/** All handlers of an informer: fans changes out to them and resyncs those that are due. */
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
  add(handler: Handler<P>, after: Completion, options: HandlerOptions): HandlerRegistration {
    const synced = new Completion();
    const queue = new HandlerQueue(handler, {
      clock: this.#clock,
      onError: (error) => this.#onError(error, `handler ${options.name ?? "(unnamed)"}`),
      onInitial: () => synced.complete(),
    });
    const member: Member<P> = { queue, resync: this.#resync.register(options.resyncMs), synced, after, joined: false };
    this.#members.add(member);
    this.admit();
    return {
      hasSynced: () => synced.isComplete,
      waitForSync: (signal) => synced.wait(signal),
      remove: () => {
        this.#members.delete(member);
        queue.close();
        synced.fail(new Error("the handler was removed before it had synced"));
      },
    };
  }

  /** Admits the handlers whose list is complete: all get the same snapshot, and every later change after it. */
  admit(): void {
    let objects: readonly P[] | undefined;
    for (const member of this.#members) {
      if (member.joined || !member.after.isComplete) continue;
      member.joined = true;
      objects ??= this.#store.list();
      member.queue.push({ type: "initial", objects });
    }
  }

  notify(change: StoreChange<P>): void {
    switch (change.type) {
      case "Added":
        this.#broadcast({ type: "add", object: change.object });
        break;
      case "Updated":
        for (const notification of notificationsOf(change.old, change.object)) this.#broadcast(notification);
        break;
      case "Deleted":
        this.#broadcast({ type: "delete", object: change.object, finalStateUnknown: false });
        break;
      case "Filled":
        this.#resync.start([...this.#members].map((member) => member.resync));
        break;
      case "Replaced":
        this.#notifyReplaced(change.before, change.after);
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

  #broadcast(notification: Notification<P>): void {
    for (const member of this.#members) if (member.joined) member.queue.push(notification);
  }

  /** Unchanged objects are reported only to handlers whose resync is due; for them the list is their resync. */
  #notifyReplaced(before: StringTable<P>, after: StringTable<P>): void {
    const joined = [...this.#members].filter((member) => member.joined);
    const due = joined.filter((member) => this.#resync.takeIfDue(member.resync));
    for (const { type, old, object } of diffLists(before, after)) {
      for (const { queue } of type === "unchanged" ? due : joined) {
        if (type === "gone") queue.push({ type: "delete", object, finalStateUnknown: true });
        else if (type === "new") queue.push({ type: "add", object });
        else for (const notification of notificationsOf(old, object)) queue.push(notification);
      }
    }
  }

  #resyncDue(): void {
    let objects: readonly P[] | undefined;
    for (const member of this.#members) {
      if (!member.joined || !this.#resync.takeIfDue(member.resync)) continue;
      objects ??= this.#store.list();
      member.queue.push({ type: "resync", objects });
    }
  }
}

/** Another object under the same name, created while the watch was interrupted: the old one was deleted, the other is new. */
function notificationsOf<P extends Cached>(old: P, object: P): readonly Notification<P>[] {
  if (old.metadata.uid === object.metadata.uid) return [{ type: "update", old, object }];
  return [
    { type: "delete", object: old, finalStateUnknown: true },
    { type: "add", object },
  ];
}
