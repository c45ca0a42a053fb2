import { readFileSync } from "node:fs";

/** In bytes, on disk and compressed as in an image layer. */
export interface Size {
  readonly plain: number;
  readonly compressed: number;
}

/** The largest size of a program. The Go sidecars that it replaces are 64 MB each. */
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
