import { setTimeout } from "node:timers/promises";
import type { Backend } from "../backend.ts";
import type { VolumeRecord } from "../state/records.ts";

const attempts = 5;
/** More than the step in which file systems count time; grows with each attempt. */
const pauseMs = 10;

/**
 * Copies volumes until nothing was written to any of them meanwhile: then all copies show the same moment. Nothing stops the pods from
 * writing, so this is tried a few times; `written` is a volume that was written to during the last one.
 */
export async function cutAtRest<T>(
  { data }: Backend,
  volumes: readonly VolumeRecord[],
  cut: () => Promise<T>,
  discard: (made: T) => Promise<void>,
): Promise<{ readonly made: T; readonly written: VolumeRecord | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const began = await data.now();
    const made = await cut();
    const written = await firstWritten(data, volumes, began);
    if (!written || attempt === attempts) return { made, written };
    await discard(made);
    // Not the driver's clock, which a test may hold still: the file system's time goes on.
    await setTimeout(pauseMs * attempt);
  }
}

async function firstWritten(data: Backend["data"], volumes: readonly VolumeRecord[], since: bigint): Promise<VolumeRecord | undefined> {
  for (const volume of volumes) if (await data.isWrittenSince(volume, since)) return volume;
  return undefined;
}
