const smallest = 512;

/** The pieces of a head or line whose end has not arrived. Costs time in proportion to its bytes, however small the pieces are. */
export class HeldBytes {
  #buffer = Buffer.allocUnsafe(smallest);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns all of it. */
  append(bytes: Buffer): Buffer {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    bytes.copy(this.#buffer, this.#length);
    this.#length = length;
    return this.#buffer.subarray(0, length);
  }
}
