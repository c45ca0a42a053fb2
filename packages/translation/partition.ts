import type { Result } from "@csi-sidecars/base";

/** The partition of a disk from a volume's attributes; none where it is 0, the whole disk. */
export function partitionOf(attributes: Readonly<Record<string, string>> | undefined): Result<{ readonly partition?: number }> {
  const partition = Number(attributes?.partition || 0);
  if (!Number.isInteger(partition)) return { error: `failed to convert partition ${attributes?.partition} to integer` };
  return { value: partition === 0 ? {} : { partition } };
}
