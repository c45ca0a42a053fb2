import type { V1Lease } from "../resources.ts";
import { type LeaseRecord, recordOf, sameRecord } from "./lease-record.ts";

/** How the process that holds a lease is described on it, and what its description proves. */
export interface HolderProcess {
  /** This process. Without spaces at either end. */
  readonly description: string;
  /** Whether a process described like this is known to have ended. `false` when that cannot be known. */
  hasEnded(description: string): boolean;
}

/** The process that wrote the record with this renew time: `<renew time> <description>`. */
export const holderProcessAnnotation = "csi-sidecars.storage.k8s.io/holder-process";

/** Writes without an answer that are remembered. One that is forgotten is taken for somebody else's: leadership ends, nothing worse. */
const rememberedWrites = 16;

/**
 * One process as a writer of one Lease, for as long as it lives. An identity can be shared by mistake: on the host's network it is the
 * name of the node. So a record under our identity is only ours if this process wrote it.
 */
export class LeaseWriter {
  readonly #process: HolderProcess | undefined;
  #writes: readonly LeaseRecord[] = [];
  #creates = false;
  #actsFrom = Number.NEGATIVE_INFINITY;

  constructor(process?: HolderProcess) {
    this.#process = process;
  }

  /**
   * Whether this process wrote the record, even if the answer to its write was lost. A duration that was edited by hand is no renewal
   * by anybody else.
   */
  wrote(record: LeaseRecord): boolean {
    return this.#writes.some((write) => sameRecord({ ...write, leaseDurationSeconds: record.leaseDurationSeconds }, record));
  }

  /** Must be called before a write is sent. `creates`: the Lease did not exist and was not ours. */
  sending(record: LeaseRecord, creates = false): void {
    this.#writes = [...this.#writes, record].slice(-rememberedWrites);
    if (creates) this.#creates = true;
  }

  /** The record was stored: an earlier write without an answer can only conflict from now on. */
  stored(record: LeaseRecord, now: number): void {
    this.#writes = [record];
    if (this.#creates) this.#actsFrom = now + record.leaseDurationSeconds * 1000;
    this.#creates = false;
  }

  /** Somebody else has the lease. */
  lost(): void {
    this.#creates = false;
    this.#actsFrom = Number.NEGATIVE_INFINITY;
  }

  /**
   * From when the holder may act, on its monotonic clock. Who creates a Lease cannot know whether it was deleted under a leader: that
   * one notices at its next renewal, or stops when its own lease has expired. Both have happened after the duration of a lease.
   */
  get actsFrom(): number {
    return this.#actsFrom;
  }

  /** Describes this process on a Lease with this record. A process that must not act yet is not described: its successor waits as well. */
  annotations({ renewTime }: LeaseRecord, now: number): Readonly<Record<string, string>> {
    if (!this.#process || this.#creates || now < this.#actsFrom) return {};
    return { [holderProcessAnnotation]: `${renewTime} ${this.#process.description}` };
  }

  /** Whether the process that wrote this Lease is known to have ended. Who knows nothing of the annotation leaves that of another behind. */
  writerHasEnded(lease: V1Lease): boolean {
    const [renewTime, ...description] = lease.metadata?.annotations?.[holderProcessAnnotation]?.split(" ") ?? [];
    return renewTime !== undefined && renewTime === recordOf(lease).renewTime && this.#process?.hasEnded(description.join(" ")) === true;
  }
}
