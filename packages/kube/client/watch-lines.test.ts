import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { watchLines } from "./watch-lines.ts";

/** Chunks in one buffer that is used again and again, as a transport may do. */
async function* chunked(bytes: Uint8Array, sizes: () => number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(sizes(), bytes.length - at);
    buffer.set(bytes.subarray(at, at + size));
    yield buffer.subarray(0, size);
    at += size;
  }
}

async function linesOf(text: string, sizes: () => number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of watchLines(chunked(new TextEncoder().encode(text), sizes))) lines.push(line);
  return lines;
}

const alphabet = ["a", "{", '"', "ü", "€", "𝄞", "é", " ", "\\n"];

test.each(Array.from({ length: 60 }, (_, seed) => seed))("lines survive any chunking (seed %p)", async (seed) => {
  const next = seededRandom(seed);
  const pick = (n: number) => Math.floor(next() * n);
  const lines = Array.from({ length: 1 + pick(40) }, () =>
    Array.from({ length: 1 + pick(120) }, () => alphabet[pick(alphabet.length)]).join(""),
  );
  const largest = [1, 2, 7, 64, 5000][seed % 5]!;
  expect(await linesOf(`${lines.join("\n")}\n`, () => 1 + pick(largest))).toEqual(lines);
});

test.each([
  ["nothing", "", []],
  ["empty lines are skipped", "\n\na\n\nb\n", ["a", "b"]],
])("%s", async (_what, text, lines) => {
  expect(await linesOf(text, () => 3)).toEqual(lines);
});

test("a stream that ends inside a line was cut off", async () => {
  const seen: string[] = [];
  const read = async () => {
    for await (const line of watchLines(chunked(new TextEncoder().encode('{"a":1}\n{"b":'), () => 4))) seen.push(line);
  };
  await expect(read()).rejects.toMatchObject({ name: "TransportError", kind: "reset" });
  expect(seen).toEqual(['{"a":1}']);
});

test("a chunk whose lines were read is garbage while the next one is awaited", async () => {
  let chunk: WeakRef<Uint8Array> | undefined;
  const oneChunk: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (chunk) return new Promise(() => {});
        const value = new TextEncoder().encode("a\nb\n");
        chunk = new WeakRef(value);
        return Promise.resolve({ done: false, value });
      },
    }),
  };
  const lines = watchLines(oneChunk);
  await lines.next();
  await lines.next();
  void lines.next();
  await new Promise((resolve) => setImmediate(resolve));
  Bun.gc(true);
  expect(chunk?.deref()).toBeUndefined();
});
