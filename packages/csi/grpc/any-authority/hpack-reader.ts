import { decodeHuffman } from "./hpack-huffman.ts";
import { MalformedHeaders } from "./malformed-headers.ts";

/** The integers and strings that a header block is made of, one after the other. */
export class HpackReader {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  get done(): boolean {
    return this.#at === this.#block.length;
  }

  peek(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new MalformedHeaders("a header block that ends in a field");
    return byte;
  }

  #byte(): number {
    const byte = this.peek();
    this.#at++;
    return byte;
  }

  /** An integer that starts in the low `bits` of the next byte. Three more bytes hold every size and index that is within the limits. */
  integer(bits: number): number {
    const mask = 2 ** bits - 1;
    let value = this.#byte() & mask;
    if (value < mask) return value;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedHeaders("an integer that is too large");
  }

  string(): string {
    const isHuffman = (this.peek() & 0x80) !== 0;
    const length = this.integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new MalformedHeaders("a header block that ends in a string");
    this.#at += length;
    return isHuffman ? decodeHuffman(bytes) : bytes.toString("latin1");
  }
}
