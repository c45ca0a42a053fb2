/**
 * Cuts what a process prints into lines, which end in LF or CRLF. A line that is longer than the limit is reported once; nothing is read
 * after that, so that a flood costs no memory.
 */
export class LineReader {
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #length = 0;
  #overflown = false;

  constructor(limit: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#limit = limit;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end !== -1 && !this.#overflown; end = rest.indexOf(0x0a)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (!this.#overflown) this.#finishLine();
    }
    if (!this.#overflown) this.#add(rest);
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) {
      if (part.length > 0) this.#parts.push(part);
      return;
    }
    this.#overflown = true;
    this.#parts = [];
    this.#onTooLong();
  }

  #finishLine(): void {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#length = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}
