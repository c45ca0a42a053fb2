const smallest = 512;

/**
 * The pieces of a head or line whose end has not arrived. One buffer that grows: its cost is in proportion to its bytes, however small the
 * pieces are. They are copied, because the transport may use their memory again, and a short piece must not keep a long chunk alive.
 */
export class HeldBytes {
  #buffer = Buffer.allocUnsafe(smallest);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns all of it. */
  append(bytes: Uint8Array): Buffer {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
    return this.#buffer.subarray(0, length);
  }
}
