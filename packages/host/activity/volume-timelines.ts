import { beginningOf } from "@csi-sidecars/base";
import type { CallSubject } from "./call-subject.ts";

/** One thing that happened to a volume. Times are milliseconds since 1970. */
export interface TimelineStep {
  /** `CreateVolume`, or `saved` for its PersistentVolume. */
  readonly what: string;
  /** The node or snapshot. */
  readonly on?: string;
  readonly startedAt: number;
  /** Absent while the first call, or a repeated one, is under way. */
  readonly endedAt?: number;
  /** How often the driver was called until it succeeded. */
  readonly calls: number;
  /** How the last call failed; absent once one has succeeded. */
  readonly error?: string;
}

/** What is known of a volume's life since the process started. */
export interface VolumeTimeline {
  /** The name it was created with. */
  readonly name?: string;
  readonly id?: string;
  /** The PersistentVolume and the claim that it was created for. */
  readonly volume?: string;
  readonly claim?: string;
  readonly steps: readonly TimelineStep[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Entry extends Mutable<Omit<VolumeTimeline, "steps">> {
  readonly steps: Mutable<TimelineStep>[];
}

const maxVolumes = 200;
const maxSteps = 40;
const maxErrorLength = 300;

/** The lives of the volumes that were worked on last. What is oldest is forgotten. */
export class VolumeTimelines {
  /** In the order of their last step. */
  readonly #entries = new Set<Entry>();
  readonly #byName = new Map<string, Entry>();
  readonly #byId = new Map<string, Entry>();

  /** A call begins. Returns what to say when it has ended: the error, or the id of a volume that was created. */
  begin(subject: CallSubject, startedAt: number): (endedAt: number, end: { readonly error?: string; readonly id?: string }) => void {
    const entry = this.#entryOf(subject);
    const step = this.#stepFor(entry, subject, startedAt);
    return (endedAt, { error, id }) => {
      step.endedAt = endedAt;
      if (error === undefined) delete step.error;
      else step.error = beginningOf(error, maxErrorLength);
      if (id !== undefined && this.#entries.has(entry)) this.#identify(entry, id);
    };
  }

  /** The PersistentVolume of a volume was saved. */
  saved(known: { readonly id: string; readonly volume: string; readonly claim?: string }, at: number): void {
    const { id, volume, claim } = known;
    const entry = this.#entryOf({ method: "saved", id, name: volume, ...(claim !== undefined && { claim }) });
    entry.volume = volume;
    this.#add(entry, { what: "saved", startedAt: at, endedAt: at, calls: 1 });
  }

  /** The one that was worked on last comes first. */
  list(): readonly VolumeTimeline[] {
    return [...this.#entries].reverse().map((entry) => ({ ...entry, steps: entry.steps.map((step) => ({ ...step })) }));
  }

  #entryOf({ id, name, claim }: CallSubject): Entry {
    const known = (id === undefined ? undefined : this.#byId.get(id)) ?? (name === undefined ? undefined : this.#byName.get(name));
    const entry: Entry = known ?? { steps: [] };
    this.#entries.delete(entry);
    this.#entries.add(entry);
    if (name !== undefined && entry.name === undefined) {
      entry.name = name;
      this.#byName.set(name, entry);
    }
    if (claim !== undefined) entry.claim = claim;
    if (id !== undefined) this.#identify(entry, id);
    const [oldest] = this.#entries;
    if (oldest && this.#entries.size > maxVolumes) this.#forget(oldest);
    return entry;
  }

  #identify(entry: Entry, id: string): void {
    if (entry.id !== undefined && this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
    entry.id = id;
    this.#byId.set(id, entry);
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry);
    if (entry.name !== undefined && this.#byName.get(entry.name) === entry) this.#byName.delete(entry.name);
    if (entry.id !== undefined && this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
  }

  /** A call after one that failed is the same step again. */
  #stepFor(entry: Entry, { method, on }: CallSubject, startedAt: number): Mutable<TimelineStep> {
    const failed = entry.steps.findLast((step) => step.what === method && step.on === on);
    if (failed?.error === undefined) return this.#add(entry, { what: method, ...(on !== undefined && { on }), startedAt, calls: 1 });
    failed.calls++;
    delete failed.endedAt;
    return failed;
  }

  #add(entry: Entry, step: Mutable<TimelineStep>): Mutable<TimelineStep> {
    entry.steps.push(step);
    if (entry.steps.length > maxSteps) entry.steps.shift();
    return step;
  }
}
