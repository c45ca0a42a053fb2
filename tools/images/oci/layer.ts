import type { Entry } from "../archive/entry.ts";
import { writeTar } from "../archive/write-tar.ts";
import { type Blob, blobOf, digestOf } from "./blob.ts";

export interface Layer {
  /** How the history of the image calls it. */
  readonly comment: string;
  /** The digest of what is in it, uncompressed. */
  readonly diffId: string;
  readonly uncompressedSize: number;
  readonly blob: Blob;
}

/** Entries as a compressed layer. libdeflate's output depends on neither the machine nor its processor. */
export function layerOf(comment: string, entries: readonly Entry[], time: number): Layer {
  const tar = writeTar(entries, time);
  const compressed = Bun.gzipSync(tar, { library: "libdeflate", level: 6 });
  return { comment, diffId: digestOf(tar), uncompressedSize: tar.length, blob: blobOf(compressed) };
}
