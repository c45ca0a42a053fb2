import { ConditionVariable } from "../condition-variable.ts";
import { changesSomething, type Method, type Request } from "./methods.ts";

/** How the driver ended a call; a client that gave up earlier did not see it. */
export type CallOutcome =
  | { readonly kind: "answered"; readonly response: object }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  /** `effect`: whether the work was done. */
  | { readonly kind: "unanswered"; readonly because: "lost" | "hung" | "crashed"; readonly effect: boolean };

interface CallOf<M extends Method> {
  readonly order: number;
  readonly method: M;
  readonly request: Request<M>;
  /** Whose socket it came through; `undefined` if it is the one that everybody has. */
  readonly caller: string | undefined;
  /** Monotonic milliseconds of the driver's clock. */
  readonly startedAt: number;
  /** `undefined` while the call is in progress. */
  readonly endedAt: number | undefined;
  /** When the client gave up or went away before it was answered. */
  readonly clientGoneAt: number | undefined;
  readonly outcome: CallOutcome | undefined;
}

/** One call that reached the driver. */
export type DriverCall<M extends Method = Method> = { [K in M]: CallOf<K> }[M];

/** The volume that a call is about; the name of one that is to be created. */
export function volumeOf({ request }: DriverCall): string | undefined {
  if ("volumeId" in request) return request.volumeId;
  if ("sourceVolumeId" in request) return request.sourceVolumeId;
  return "volumeCapabilities" in request && "name" in request ? `name ${request.name}` : undefined;
}

/** What a call is about: a volume, or else a snapshot or a group of snapshots. */
function subjectOf(call: DriverCall): string | undefined {
  const { request } = call;
  if ("groupSnapshotId" in request) return `group ${request.groupSnapshotId}`;
  if ("sourceVolumeIds" in request) return `group named ${request.name}`;
  return "snapshotId" in request ? `snapshot ${request.snapshotId}` : volumeOf(call);
}

/**
 * Pairs of calls that change the same volume, snapshot or group while both clients wait for a response. A call that its client has given
 * up does not count.
 */
export function overlapping(calls: readonly DriverCall[]): [DriverCall, DriverCall][] {
  const found: [DriverCall, DriverCall][] = [];
  const open = new Map<string, DriverCall[]>();
  for (const call of calls) {
    const subject = changesSomething(call.method) ? subjectOf(call) : undefined;
    if (subject === undefined) continue;
    const waiting = (open.get(subject) ?? []).filter((earlier) => waitedUntil(earlier) > call.startedAt);
    for (const earlier of waiting) found.push([earlier, call]);
    open.set(subject, [...waiting, call]);
  }
  return found;
}

/** When the client of a call stopped waiting for it. */
export function waitedUntil({ endedAt, clientGoneAt }: DriverCall): number {
  return Math.min(endedAt ?? Number.POSITIVE_INFINITY, clientGoneAt ?? Number.POSITIVE_INFINITY);
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** Every call in the order of arrival. */
export class CallLog {
  readonly #calls: DriverCall[] = [];
  readonly #open = new Set<DriverCall>();
  readonly #changes = new ConditionVariable();

  /** Records a call; returns it, and how to record its end. */
  begin<M extends Method>(
    method: M,
    request: object,
    at: number,
    caller?: string,
  ): { readonly call: DriverCall; clientGone(at: number): void; end(at: number, outcome: CallOutcome): void } {
    const order = this.#calls.length + 1;
    const call = {
      order,
      method,
      request,
      caller,
      startedAt: at,
      endedAt: undefined,
      clientGoneAt: undefined,
      outcome: undefined,
    } as Open<DriverCall>;
    this.#calls.push(call as DriverCall);
    this.#open.add(call as DriverCall);
    this.#changes.changed();
    return {
      call: call as DriverCall,
      clientGone: (goneAt) => {
        if (call.endedAt !== undefined || call.clientGoneAt !== undefined) return;
        call.clientGoneAt = goneAt;
        this.#changes.changed();
      },
      end: (endedAt, outcome) => {
        call.endedAt = endedAt;
        call.outcome = outcome;
        this.#open.delete(call as DriverCall);
        this.#changes.changed();
      },
    };
  }

  /** The calls that have not ended. */
  get open(): ReadonlySet<DriverCall> {
    return this.#open;
  }

  all(): readonly DriverCall[] {
    return this.#calls;
  }

  of<M extends Method>(method: M): readonly DriverCall<M>[] {
    return this.#calls.filter(({ method: called }) => called === method) as readonly DriverCall[] as readonly DriverCall<M>[];
  }

  /** Resolves as soon as the condition holds. */
  until(what: string, condition: () => boolean, ms: number): Promise<void> {
    return this.#changes.until(
      condition,
      ms,
      () => `${what}; the driver's calls: ${this.#calls.map(({ method }) => method).join(", ") || "none"}`,
    );
  }
}
