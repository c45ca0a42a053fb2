import { driverName, volumeHandle, volumeNode } from "../volumes.ts";

/** How the driver reports a volume. One that is not listed is neither well nor ill. */
export type Condition = "normal" | "abnormal" | "not listed";

/** What the driver was asked so far. */
export interface CallCounts {
  readonly listCalls: number;
  /** Lists that were read to their end. */
  readonly lists: number;
  /** When the first of them since the last `restart` ended, in milliseconds since the epoch. */
  readonly firstListAt: number;
  readonly getCalls: number;
  /** Volumes that were asked for one by one since the last `restart`. */
  readonly gotVolumes: number;
  /** The most calls for single volumes that were in progress at the same time. */
  readonly mostAtOnce: number;
}

/** What a benchmark asks of the driver; every order is answered with {@link CallCounts}. */
export interface Order {
  /** How many volumes there are from now on. */
  readonly volumes?: number;
  /** From the next list on: the first `volumes` volumes have one condition for each list, and keep the last one. */
  readonly report?: { readonly volumes: number; readonly conditions: readonly [Condition, ...Condition[]] };
  /** Forgets which volumes were asked for one by one, and when the first list ended. */
  readonly restart?: true;
}

/** Drivers of large fleets answer in pages, whatever they are asked for. */
export const pageSize = 1_000;

/** The volumes of a driver: how they are reported, and how often that was asked. */
export class Fleet {
  #volumes = 0;
  #reported = 0;
  #conditions: readonly Condition[] = ["normal"];
  /** How many lists have begun since the last order to report. */
  #begun = 0;
  #inProgress = 0;
  readonly #got = new Set<string>();
  readonly #counts = { listCalls: 0, lists: 0, firstListAt: 0, getCalls: 0, mostAtOnce: 0 };

  obey({ volumes, report, restart }: Order): CallCounts {
    if (volumes !== undefined) this.#volumes = volumes;
    if (report) {
      this.#reported = report.volumes;
      this.#conditions = report.conditions;
      this.#begun = 0;
    }
    if (restart) {
      this.#got.clear();
      this.#counts.firstListAt = 0;
    }
    return { ...this.#counts, gotVolumes: this.#got.size };
  }

  /** A page of ListVolumes. */
  list(startingToken: string, now: number) {
    const first = startingToken === "" ? 0 : Number(startingToken);
    const end = Math.min(first + pageSize, this.#volumes);
    if (first === 0) this.#begun++;
    this.#counts.listCalls++;
    if (end === this.#volumes) {
      this.#counts.lists++;
      this.#counts.firstListAt ||= now;
    }
    const entries = Array.from({ length: end - first }, (_, index) => this.#entry(first + index)).filter((entry) => entry !== undefined);
    return { entries, nextToken: end < this.#volumes ? String(end) : "" };
  }

  #entry(index: number) {
    const condition = index < this.#reported ? this.#conditions[Math.min(this.#begun, this.#conditions.length) - 1] : "normal";
    if (condition === "not listed") return undefined;
    const status = { publishedNodeIds: [volumeNode(index)], volumeCondition: conditionOf(condition === "abnormal") };
    return { volume: { volumeId: volumeHandle(index) }, status };
  }

  /** ControllerGetVolume: `work` is what the driver does before it answers. */
  async get(volumeId: string, work: () => Promise<unknown>) {
    this.#counts.getCalls++;
    this.#got.add(volumeId);
    this.#counts.mostAtOnce = Math.max(this.#counts.mostAtOnce, ++this.#inProgress);
    await work();
    this.#inProgress--;
    return { volume: { volumeId }, status: { publishedNodeIds: [], volumeCondition: conditionOf(false) } };
  }
}

function conditionOf(abnormal: boolean) {
  return { abnormal, message: abnormal ? `${driverName}: a replica of the volume is lost` : "" };
}
