import type { FileHandle } from "node:fs/promises";

/** The unit in which blocks are compared. */
export const blockSize = 4096;
const chunkSize = 256 * blockSize;
const zeros = Buffer.alloc(chunkSize);

/** Blocks of a file that are not all zero, as block numbers, from a block on. */
export async function* allocatedBlocks(file: FileHandle, firstBlock: number): AsyncGenerator<number> {
  const buffer = Buffer.alloc(chunkSize);
  for (let offset = firstBlock * blockSize; ; offset += chunkSize) {
    const length = await readFully(file, buffer, offset);
    // Most of a volume is empty: a hole of terabytes is passed in large steps.
    if (length === chunkSize && buffer.equals(zeros)) continue;
    for (let at = 0; at < length; at += blockSize) {
      const block = buffer.subarray(at, Math.min(at + blockSize, length));
      if (!block.equals(zeros.subarray(0, block.length))) yield (offset + at) / blockSize;
    }
    if (length < chunkSize) return;
  }
}

/** Blocks in which two files differ; what only one of them has counts as changed. */
export async function* changedBlocks(base: FileHandle, target: FileHandle, firstBlock: number): AsyncGenerator<number> {
  const [a, b] = [Buffer.alloc(chunkSize), Buffer.alloc(chunkSize)];
  for (let offset = firstBlock * blockSize; ; offset += chunkSize) {
    const [lengthA, lengthB] = [await readFully(base, a, offset), await readFully(target, b, offset)];
    const length = Math.max(lengthA, lengthB);
    if (length === chunkSize && lengthA === lengthB && a.equals(b)) continue;
    for (let at = 0; at < length; at += blockSize) {
      const blockA = a.subarray(Math.min(at, lengthA), Math.min(at + blockSize, lengthA));
      const blockB = b.subarray(Math.min(at, lengthB), Math.min(at + blockSize, lengthB));
      if (!blockA.equals(blockB)) yield (offset + at) / blockSize;
    }
    if (length < chunkSize) return;
  }
}

async function readFully(file: FileHandle, buffer: Buffer, offset: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** A range of bytes, as answers show it. */
interface Range {
  readonly byteOffset: bigint;
  readonly sizeBytes: bigint;
}

/** Gathers blocks into messages of at most `most` ranges. `merge` makes one range of neighbours, within a message. */
export async function* batches(blocks: AsyncIterable<number>, most: number, merge: boolean): AsyncGenerator<Range[]> {
  let batch: { first: number; count: number }[] = [];
  for await (const block of blocks) {
    const last = batch.at(-1);
    if (merge && last && last.first + last.count === block) {
      last.count++;
      continue;
    }
    if (batch.length === most) {
      yield batch.map(rangeOf);
      batch = [];
    }
    batch.push({ first: block, count: 1 });
  }
  if (batch.length > 0) yield batch.map(rangeOf);
}

const rangeOf = ({ first, count }: { readonly first: number; readonly count: number }): Range => ({
  byteOffset: BigInt(first) * BigInt(blockSize),
  sizeBytes: BigInt(count) * BigInt(blockSize),
});
