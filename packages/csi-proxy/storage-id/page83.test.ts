import { describe, expect, test } from "bun:test";
import { parsePage83 } from "./page83.ts";

interface Identifier {
  readonly codeSet: number;
  readonly association?: number;
  readonly bytes: Uint8Array;
  readonly nextOffset?: number;
  readonly claimedSize?: number;
}

const text = (value: string) => new TextEncoder().encode(value);
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));

function descriptor(identifiers: readonly Identifier[], count = identifiers.length): Uint8Array {
  const parts = identifiers.map(({ codeSet, association = 0, bytes, nextOffset, claimedSize }) => {
    const padded = 16 + Math.ceil(bytes.length / 4) * 4;
    const part = Buffer.alloc(padded);
    part.writeUInt32LE(codeSet, 0);
    part.writeUInt32LE(3, 4);
    part.writeUInt16LE(claimedSize ?? bytes.length, 8);
    part.writeUInt16LE(nextOffset ?? padded, 10);
    part.writeUInt32LE(association, 12);
    part.set(bytes, 16);
    return part;
  });
  const header = Buffer.alloc(12);
  header.writeUInt32LE(12, 0);
  header.writeUInt32LE(12 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  header.writeUInt32LE(count, 8);
  return Uint8Array.from(Buffer.concat([header, ...parts]));
}

const disk = { codeSet: 2, bytes: text("Google  persistent-disk-0") };
const binaryDisk = { codeSet: 1, bytes: bytes("4d53465420202020328d59b360875845ac645473be8267bf") };
const port = { codeSet: 1, association: 1, bytes: bytes("0011") };

describe("parsePage83", () => {
  test.each<[string, Uint8Array, string]>([
    ["text is kept with its spaces", descriptor([disk]), "Google  persistent-disk-0"],
    ["bytes become lower-case hex", descriptor([binaryDisk]), "4d53465420202020328d59b360875845ac645473be8267bf"],
    ["the first identifier of the device wins", descriptor([binaryDisk, disk]), "4d53465420202020328d59b360875845ac645473be8267bf"],
    ["an identifier of a port is passed over", descriptor([port, disk]), "Google  persistent-disk-0"],
    [
      "a code set that is neither bytes nor ASCII is passed over",
      descriptor([{ codeSet: 3, bytes: text("x") }, disk]),
      "Google  persistent-disk-0",
    ],
    ["the last identifier needs no next offset", descriptor([port, { ...disk, nextOffset: 0 }]), "Google  persistent-disk-0"],
    ["only ports", descriptor([port, port]), ""],
    ["no identifiers", descriptor([]), ""],
    ["fewer are counted than are there", descriptor([port, disk], 1), ""],
    ["more are counted than are there", descriptor([port], 0xffffffff), ""],
    ["a next offset of 0 before the last", descriptor([{ ...port, nextOffset: 0 }, disk]), ""],
    ["a next offset of 0 and billions of identifiers", descriptor([{ ...port, nextOffset: 0 }], 0xffffffff), ""],
    ["a next offset beyond the buffer", descriptor([{ ...port, nextOffset: 0xffff }, disk]), ""],
    ["an identifier longer than the buffer", descriptor([{ ...disk, claimedSize: 4096 }]), ""],
    ["cut inside the identifier's bytes", descriptor([disk]).subarray(0, 30), ""],
    ["cut inside the identifier's header", descriptor([disk]).subarray(0, 20), ""],
    ["cut inside the header", descriptor([disk]).subarray(0, 10), ""],
    ["empty", new Uint8Array(), ""],
  ])("%s", (_, buffer, expected) => {
    expect(parsePage83(buffer)).toBe(expected);
  });

  test("reads a view into a larger buffer", () => {
    const larger = new Uint8Array(200);
    larger.set(descriptor([disk]), 50);
    expect(parsePage83(larger.subarray(50, 50 + 100))).toBe("Google  persistent-disk-0");
  });
});
