/** Status line and headers of a response. */
export interface Http1Head {
  readonly status: number;
  /** The value of a header, by its lower-case name; repeated ones joined by commas. */
  header(name: string): string | undefined;
}

/** Receives the parts of a response, in order. */
export interface Http1Listener {
  head(head: Http1Head): void;
  body(bytes: Uint8Array): void;
  /** The response is complete. `reusable`: the connection may be used for another request. */
  end(reusable: boolean): void;
}

type State = "head" | "fixed length" | "until close" | "chunk size" | "chunk" | "chunk end" | "trailers" | "done";

const maxHead = 256 * 1024;

/**
 * Parses one HTTP/1.1 response from the bytes of a connection, however they are split. Throws on malformed input. A body has a fixed
 * length, is chunked, or lasts until the connection closes.
 */
export class Http1Parser {
  readonly #listener: Http1Listener;
  #state: State = "head";
  /** The start of a head or line whose end has not arrived yet. */
  #partial: Buffer | undefined;
  #left = 0;
  #reusable = true;

  constructor(listener: Http1Listener) {
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    let rest: Buffer | undefined = this.#partial ? Buffer.concat([this.#partial, bytes]) : bytes;
    this.#partial = undefined;
    while (rest && rest.length > 0) rest = this.#step(rest);
  }

  /** The connection was closed. Returns whether the response was complete. */
  finish(): boolean {
    if (this.#state === "until close") this.#end();
    return this.#state === "done";
  }

  /** Consumes what it can from the front and returns the rest; `undefined`: more input is needed. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "fixed length":
      case "chunk":
        return this.#readFixed(bytes);
      case "until close":
        this.#listener.body(bytes);
        return undefined;
      case "chunk size":
      case "chunk end":
      case "trailers":
        return this.#readLine(bytes);
      case "done":
        throw malformed("more than one response");
    }
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return this.#wait(bytes);
    const text = bytes.toString("latin1", 0, end + 2);
    const match = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?\r\n(?:[^:\r\n]+:[^\r\n]*\r\n)*$/.exec(text);
    if (!match) throw malformed("it does not start with a status line and headers");
    const status = Number(match[2]);
    const rest = bytes.subarray(end + 4);
    // 1xx responses (100 Continue) precede the final one.
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
      if (!/^\d{1,15}$/.test(length)) throw malformed("its content length is not a number");
      this.#expect("fixed length", Number(length));
    }
  }

  #expect(state: "fixed length" | "chunk", bytes: number): void {
    this.#state = state;
    this.#left = bytes;
    if (state === "fixed length" && bytes === 0) this.#end();
  }

  #readFixed(bytes: Buffer): Buffer | undefined {
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
      if (size === undefined) throw malformed("the size of a chunk is not a number");
      const length = Number.parseInt(size, 16);
      if (length === 0) this.#state = "trailers";
      else this.#expect("chunk", length);
    }
    return rest;
  }

  #wait(bytes: Buffer): undefined {
    if (bytes.length > maxHead) throw malformed("its head does not end");
    this.#partial = bytes;
  }

  #end(): void {
    this.#state = "done";
    this.#listener.end(this.#reusable);
  }
}

/** Few headers are ever read: each is searched on demand. */
function findHeader(head: string, name: string): string | undefined {
  let found: string | undefined;
  for (let at = nextLine(head, 0); at > 0; at = nextLine(head, at)) {
    if (head[at + name.length] !== ":" || head.slice(at, at + name.length).toLowerCase() !== name) continue;
    const value = head.slice(at + name.length + 1, head.indexOf("\r\n", at)).trim();
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

/** Start of the line after the one at `at`; 0 when there is none. */
function nextLine(head: string, at: number): number {
  return head.indexOf("\r\n", at) + 2 < head.length ? head.indexOf("\r\n", at) + 2 : 0;
}

function malformed(why: string): Error {
  return Object.assign(new Error(`malformed HTTP/1.1 response: ${why}`), { code: "ERR_HTTP_MALFORMED" });
}
