import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An input that failed once, or that is worth trying always. */
interface Kept {
  readonly about: string;
  /** Each character stands for the byte of its code. */
  readonly input: string;
  /** The input is repeated so often, where a long one is the point. */
  readonly times?: number;
}

/** The inputs kept for a target, in `test/fuzz/corpus/<target>.json`. */
export function corpusOf(target: string): readonly Uint8Array[] {
  const file = join(import.meta.dirname, "..", "corpus", `${target}.json`);
  if (!existsSync(file)) return [];
  const kept: readonly Kept[] = JSON.parse(readFileSync(file, "utf8"));
  return kept.map(({ input, times = 1 }) => Buffer.from(input.repeat(times), "latin1"));
}
