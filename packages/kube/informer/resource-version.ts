/** Where a watcher stands, and from where it may ask the server to go on. */
export class ResourceVersion {
  #last: string;
  #unavailable = false;

  constructor(last = "") {
    this.#last = last;
  }

  /** The version of the last event, list or bookmark; empty before the first. */
  get last(): string {
    return this.#last;
  }

  advance(to: string | undefined): void {
    if (to) this.#last = to;
  }

  /** A list is complete: everything before it is history. */
  listed(at: string): void {
    this.#last = at;
    this.#unavailable = false;
  }

  /** The server does not have the version we asked for: the next list asks for the newest. */
  lost(): void {
    this.#unavailable = true;
  }

  /** A list asks for data not older than what we have seen; the first takes whatever the server has at hand. */
  get forList(): string {
    if (this.#unavailable) return "";
    return this.#last === "" ? "0" : this.#last;
  }

  /** A streamed list begins with the newest data. */
  get forStreamedList(): string {
    return this.#unavailable ? "" : this.#last;
  }
}
