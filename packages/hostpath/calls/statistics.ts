import { codeName } from "@csi-sidecars/csi";
import { type CallRecord, idsIn, subjectOf } from "./call-record.ts";

/** What tests ask of all calls together. */
export interface CallStatistics {
  readonly calls: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly maxConcurrent: number;
  readonly maxConcurrentByMethod: Readonly<Record<string, number>>;
  /** How often a call came for a volume or snapshot for which one was in flight: 0 with a correct caller. */
  readonly overlaps: number;
}

/** Counts calls while they come and go. */
export class CallCounter {
  readonly #calls: Record<string, number> = {};
  readonly #errors: Record<string, Record<string, number>> = {};
  readonly #inFlight: Record<string, number> = {};
  readonly #most: Record<string, number> = {};
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
    const errors = this.#errors[method] ?? {};
    errors[codeName(code)] = (errors[codeName(code)] ?? 0) + 1;
    this.#errors[method] = errors;
  }

  /** Whether a call about a volume or snapshot, or one that named it, was ever answered with success. */
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
