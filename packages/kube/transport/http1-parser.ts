/** What an answer begins with. */
export interface Http1Head {
  readonly status: number;
  /** The value of a header, by its lower-case name; repeated ones joined by commas. */
  header(name: string): string | undefined;
}

/** Who hears of an answer's parts, in order. */
export interface Http1Listener {
  head(head: Http1Head): void;
  body(bytes: Uint8Array): void;
  /** The answer is complete. `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
}

type State = "head" | "counted" | "until close" | "chunk size" | "chunk" | "chunk end" | "trailers" | "done";

const longestHead = 256 * 1024;

/**
 * Reads one answer of HTTP/1.1 from the bytes of a connection, however they are cut. Throws on what is no such answer. Bodies are counted,
 * chunked, or last until the connection ends.
 */
export class Http1Parser {
  readonly #listener: Http1Listener;
  #state: State = "head";
  /** The beginning of a head or line whose end has not come yet. */
  #begun: Buffer | undefined;
  #left = 0;
  #reusable = true;

  constructor(listener: Http1Listener) {
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    let rest: Buffer | undefined = this.#begun ? Buffer.concat([this.#begun, bytes]) : bytes;
    this.#begun = undefined;
    while (rest && rest.length > 0) rest = this.#step(rest);
  }

  /** The connection has ended. Returns whether the answer was complete. */
  finish(): boolean {
    if (this.#state === "until close") this.#end();
    return this.#state === "done";
  }

  /** Takes what it can from the front; `undefined`: more is needed for that. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "counted":
      case "chunk":
        return this.#readCounted(bytes);
      case "until close":
        this.#listener.body(bytes);
        return undefined;
      case "chunk size":
      case "chunk end":
      case "trailers":
        return this.#readLine(bytes);
      case "done":
        throw malformed("more than one answer");
    }
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return this.#wait(bytes);
    const text = bytes.toString("latin1", 0, end + 2);
    const match = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?\r\n(?:[^:\r\n]+:[^\r\n]*\r\n)*$/.exec(text);
    if (!match) throw malformed("it begins with no head of an answer");
    const status = Number(match[2]);
    const rest = bytes.subarray(end + 4);
    // 100 Continue and its like come before the answer.
    if (status < 200) return rest;
    const head: Http1Head = { status, header: (name) => findHeader(text, name) };
    this.#reusable = match[1] === "1" && !/\r\nconnection:[^\r\n]*\bclose\b/i.test(text);
    this.#listener.head(head);
    this.#expectBody(head);
    return rest;
  }

  #expectBody({ status, header }: Http1Head): void {
    const length = header("content-length");
    const coding = header("transfer-encoding");
    if (status === 204 || status === 304) this.#end();
    else if (coding !== undefined) {
      if (coding.toLowerCase() !== "chunked") throw malformed("its transfer encoding is unknown");
      this.#state = "chunk size";
    } else if (length === undefined) {
      this.#reusable = false;
      this.#state = "until close";
    } else {
      if (!/^\d{1,15}$/.test(length)) throw malformed("its length is no number");
      this.#expect("counted", Number(length));
    }
  }

  #expect(state: "counted" | "chunk", bytes: number): void {
    this.#state = state;
    this.#left = bytes;
    if (state === "counted" && bytes === 0) this.#end();
  }

  #readCounted(bytes: Buffer): Buffer | undefined {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    this.#listener.body(part);
    if (this.#left === 0) {
      if (this.#state === "chunk") this.#state = "chunk end";
      else this.#end();
    }
    return bytes.subarray(part.length);
  }

  #readLine(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n");
    if (end < 0) return this.#wait(bytes);
    const rest = bytes.subarray(end + 2);
    if (this.#state === "chunk end") {
      if (end !== 0) throw malformed("a chunk is longer than it says");
      this.#state = "chunk size";
    } else if (this.#state === "trailers") {
      if (end === 0) this.#end();
    } else {
      const size = /^([0-9a-f]{1,12})[ \t]*(?:;|$)/i.exec(bytes.toString("latin1", 0, end))?.[1];
      if (size === undefined) throw malformed("the size of a chunk is no number");
      const length = Number.parseInt(size, 16);
      if (length === 0) this.#state = "trailers";
      else this.#expect("chunk", length);
    }
    return rest;
  }

  #wait(bytes: Buffer): undefined {
    if (bytes.length > longestHead) throw malformed("its head does not end");
    this.#begun = bytes;
  }

  #end(): void {
    this.#state = "done";
    this.#listener.end(this.#reusable);
  }
}

/** Few of a head's headers are ever asked for: each is looked for when it is. */
function findHeader(head: string, name: string): string | undefined {
  let found: string | undefined;
  for (let at = nextLine(head, 0); at > 0; at = nextLine(head, at)) {
    if (head[at + name.length] !== ":" || head.slice(at, at + name.length).toLowerCase() !== name) continue;
    const value = head.slice(at + name.length + 1, head.indexOf("\r\n", at)).trim();
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

/** Where the line after the one at `at` begins; 0 when there is none. */
function nextLine(head: string, at: number): number {
  return head.indexOf("\r\n", at) + 2 < head.length ? head.indexOf("\r\n", at) + 2 : 0;
}

function malformed(why: string): Error {
  return Object.assign(new Error(`this is no answer of HTTP/1.1: ${why}`), { code: "ERR_HTTP_MALFORMED" });
}
