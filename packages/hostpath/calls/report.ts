import { type Dictionary, dictionary } from "@csi-sidecars/base";
import { codeName } from "@csi-sidecars/csi";
import type { State } from "../state/state.ts";
import { type CallRecord, idsIn, subjectOf } from "./call-record.ts";

/** Counts over all calls. */
export interface CallStatistics {
  readonly calls: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly maxConcurrent: number;
  readonly maxConcurrentByMethod: Readonly<Record<string, number>>;
  /** How often a call arrived for a volume or snapshot while another was in flight: 0 with a correct caller. */
  readonly overlaps: number;
}

/** Counts calls as they begin and end. */
export class CallCounter {
  readonly #calls = dictionary<number>();
  readonly #errors = dictionary<Dictionary<number>>();
  readonly #inFlight = dictionary<number>();
  readonly #most = dictionary<number>();
  readonly #subjects = new Map<string, number>();
  readonly #answered = new Set<string>();
  #total = 0;
  #mostTotal = 0;
  #overlaps = 0;

  begin({ method, request }: CallRecord): void {
    this.#calls[method] = (this.#calls[method] ?? 0) + 1;
    const now = (this.#inFlight[method] ?? 0) + 1;
    this.#inFlight[method] = now;
    this.#most[method] = Math.max(this.#most[method] ?? 0, now);
    this.#mostTotal = Math.max(this.#mostTotal, ++this.#total);
    const subject = subjectOf(method, request);
    if (subject === undefined) return;
    const others = this.#subjects.get(subject) ?? 0;
    if (others > 0) this.#overlaps++;
    this.#subjects.set(subject, others + 1);
  }

  end({ method, request, code = 0 }: CallRecord, answer: object | undefined): void {
    this.#inFlight[method] = (this.#inFlight[method] ?? 1) - 1;
    this.#total--;
    const subject = subjectOf(method, request);
    if (subject !== undefined) {
      const left = (this.#subjects.get(subject) ?? 1) - 1;
      if (left > 0) this.#subjects.set(subject, left);
      else this.#subjects.delete(subject);
    }
    if (code === 0) {
      const gone = method.startsWith("Delete");
      for (const id of idsIn(request, answer)) gone ? this.#answered.delete(id) : this.#answered.add(id);
      return;
    }
    const errors = this.#errors[method] ?? dictionary();
    errors[codeName(code)] = (errors[codeName(code)] ?? 0) + 1;
    this.#errors[method] = errors;
  }

  /** Whether a successful call ever returned or named a volume or snapshot. */
  wasAnswered(id: string): boolean {
    return this.#answered.has(id);
  }

  statistics(): CallStatistics {
    return {
      calls: { ...this.#calls },
      errors: structuredClone(this.#errors),
      maxConcurrent: this.#mostTotal,
      maxConcurrentByMethod: { ...this.#most },
      overlaps: this.#overlaps,
    };
  }
}

/** Statistics of all calls, and what the callers left behind. */
export interface DriverReport extends CallStatistics {
  /** Leaked volumes and snapshots: no caller ever got their id, so none will delete them. */
  readonly neverAnswered: readonly string[];
  /** Publications that were not undone. */
  readonly open: {
    readonly attached: readonly { readonly volumeId: string; readonly nodeId: string }[];
    readonly staged: readonly { readonly volumeId: string; readonly path: string }[];
    readonly published: readonly { readonly volumeId: string; readonly path: string }[];
  };
}

/** Builds the report. */
export function reportOf(state: State, counter: CallCounter): DriverReport {
  const volumes = [...state.volumes.values()];
  const existing = [...volumes, ...state.snapshots.values(), ...state.groups.values()].map(({ id }) => id);
  return {
    ...counter.statistics(),
    neverAnswered: existing.filter((id) => !counter.wasAnswered(id)),
    open: {
      attached: volumes.flatMap(({ id, attachments }) => attachments.map(({ nodeId }) => ({ volumeId: id, nodeId }))),
      staged: volumes.flatMap(({ id, staged }) => staged.map((path) => ({ volumeId: id, path }))),
      published: volumes.flatMap(({ id, published }) => published.map(({ target }) => ({ volumeId: id, path: target }))),
    },
  };
}
