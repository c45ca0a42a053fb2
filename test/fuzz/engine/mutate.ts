import type { Random } from "./random.ts";

/** What a mutation may use. */
interface Means {
  readonly tokens: readonly [string, ...string[]];
  readonly maxBytes?: number;
}

type Mutation = (bytes: Buffer, random: Random, means: Required<Means>) => Buffer;

const mutations: readonly [Mutation, ...Mutation[]] = [
  function flipBit(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = random.below(bytes.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  },
  function replaceByte(bytes, random) {
    const copy = Buffer.from(bytes);
    copy[random.below(bytes.length)] = random.pick([0, 9, 10, 13, 32, 34, 58, 127, 128, 255, random.below(256)]);
    return copy;
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
  function remove(bytes, random) {
    const [from, to] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  function duplicate(bytes, random) {
    const [from, to] = range(bytes, random);
    return insert(bytes, to, bytes.subarray(from, to));
  },
  function repeat(bytes, random, { maxBytes }) {
    const from = random.below(bytes.length);
    const part = bytes.subarray(from, from + 1 + random.below(8));
    const times = random.chance(0.97) ? random.below(30) : Math.floor((maxBytes - bytes.length) / part.length);
    return insert(bytes, from, Buffer.concat(Array.from({ length: Math.max(0, times) }, () => part)));
  },
  function move(bytes, random) {
    const [from, to] = range(bytes, random);
    const rest = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    return insert(rest, random.below(rest.length + 1), bytes.subarray(from, to));
  },
  function insertToken(bytes, random, { tokens }) {
    return insert(bytes, random.below(bytes.length + 1), Buffer.from(random.pick(tokens), "latin1"));
  },
  function replaceByToken(bytes, random, { tokens }) {
    const [from, to] = range(bytes, random);
    return insert(Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]), from, Buffer.from(random.pick(tokens), "latin1"));
  },
  function replaceNumber(bytes, random) {
    const numbers = [...bytes.toString("latin1").matchAll(/\d+/g)];
    const found = numbers[random.below(numbers.length)];
    if (!found) return bytes;
    const rest = Buffer.concat([bytes.subarray(0, found.index), bytes.subarray(found.index + found[0].length)]);
    return insert(rest, found.index, Buffer.from(String(random.number())));
  },
  function replaceLength(bytes, random) {
    if (bytes.length < 4) return bytes;
    const copy = Buffer.from(bytes);
    copy.writeUInt32BE(random.number() % 2 ** 32, random.below(bytes.length - 3));
    return copy;
  },
];

/** `bytes` with up to four random changes; at times with none. */
export function mutate(bytes: Uint8Array, random: Random, { tokens, maxBytes = 128 * 1024 }: Means): Uint8Array {
  let mutated = Buffer.from(bytes);
  for (let left = random.pick([0, 1, 1, 1, 2, 2, 4]); left > 0; left--) {
    const before = mutated.length > 0 ? mutated : Buffer.from(random.bytes(1 + random.below(8)));
    mutated = Buffer.from(random.pick(mutations)(before, random, { tokens, maxBytes }).subarray(0, maxBytes));
  }
  return mutated;
}

function range(bytes: Buffer, random: Random): readonly [from: number, to: number] {
  const from = random.below(bytes.length);
  return [from, Math.min(bytes.length, from + 1 + random.below(random.chance(0.7) ? 8 : bytes.length))];
}

function insert(bytes: Buffer, at: number, more: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}
