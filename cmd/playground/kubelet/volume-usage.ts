import { type Clock, messageOf } from "@csi-sidecars/base";
import { type DriverClient, type NodeGetVolumeStatsResponse, VolumeUsage_Unit as Unit } from "@csi-sidecars/csi";
import type { MountRecord, MountRecords } from "./mount-records.ts";

export interface VolumeUsagesOptions {
  readonly driver: Pick<DriverClient, "node">;
  readonly records: Pick<MountRecords, "all">;
  readonly clock: Clock;
}

/** A kubelet asks as often. */
const intervalMs = 60_000;
const timeoutMs = 10_000;

interface Known {
  readonly askedAt: number;
  readonly text: string;
}

/** How full the mounted volumes are, as the driver says once a minute. Nobody waits for its answers. */
export class VolumeUsages {
  readonly #options: VolumeUsagesOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: VolumeUsagesOptions) {
    this.#options = options;
  }

  /** Asks about each volume whose last answer is too old. */
  async refresh(): Promise<void> {
    const { records, clock } = this.#options;
    const mounted = records.all.filter(({ published }) => published);
    const paths = new Set(mounted.map(({ targetPath }) => targetPath));
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
    const due = mounted.filter(({ targetPath }) => {
      const asked = this.#known.get(targetPath)?.askedAt;
      return asked === undefined || clock.monotonic() - asked >= intervalMs;
    });
    await Promise.all(due.map((record) => this.#ask(record)));
  }

  /** What is known of the volume that is mounted there; empty for nothing. */
  at(targetPath: string): string {
    return this.#known.get(targetPath)?.text ?? "";
  }

  async #ask({ volumeId, targetPath, stagingTargetPath }: MountRecord): Promise<void> {
    const { driver, clock } = this.#options;
    const askedAt = clock.monotonic();
    this.#known.set(targetPath, { askedAt, text: this.at(targetPath) });
    const text = await driver.node
      .nodeGetVolumeStats({ volumeId, volumePath: targetPath, stagingTargetPath }, { timeoutMs })
      .then(usageText, (error: unknown) => `NodeGetVolumeStats: ${messageOf(error)}`);
    if (this.#known.has(targetPath)) this.#known.set(targetPath, { askedAt, text });
  }
}

/** `12Mi of 1Gi used`. */
function usageText({ usage, volumeCondition }: NodeGetVolumeStatsResponse): string {
  const bytes = usage.find(({ unit }) => unit === Unit.BYTES);
  const abnormal = volumeCondition?.abnormal ? `abnormal: ${volumeCondition.message}` : "";
  const used = bytes ? `${rounded(bytes.used)} of ${rounded(bytes.total)} used` : "";
  return [used, abnormal].filter((part) => part !== "").join(", ");
}

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"] as const;

/** To one decimal: `29.4Mi`. */
function rounded(bytes: bigint): string {
  const power = Math.min(units.length - 1, Math.floor(Math.max(0, bytes.toString(2).length - 1) / 10));
  return `${Number((Number(bytes) / 1024 ** power).toFixed(1))}${units[power]}`;
}
