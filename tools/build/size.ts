import { readFileSync } from "node:fs";

/** In bytes, on disk and as an image layer of it is transferred. */
export interface Size {
  readonly plain: number;
  readonly compressed: number;
}

/** What a program may weigh: the four Go sidecars that it replaces at least are 64 MB each. */
const budget: Size = { plain: 120e6, compressed: 60e6 };

export async function measure(file: string): Promise<Size> {
  const content = readFileSync(file);
  return { plain: content.length, compressed: (await Bun.zstdCompress(content, { level: 3 })).length };
}

export function overBudget({ plain, compressed }: Size): boolean {
  return plain > budget.plain || compressed > budget.compressed;
}

export function sizeText({ plain, compressed }: Size): string {
  return `${megabytes(plain)}, ${megabytes(compressed)} compressed (zstd)`;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
