import {
  type FrameHeader,
  frameHeaderBytes,
  framesOf,
  frameType,
  HeaderBlockAssembly,
  maxFrameBytes,
  parseFrameHeader,
} from "./header-frames.ts";
import { HpackDecoder } from "./hpack-decoder.ts";
import { encodeLiterals } from "./hpack-literals.ts";
import type { HeaderField } from "./hpack-static-table.ts";
import { MalformedHeaders } from "./malformed-headers.ts";

const magic = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** As much as a stream holds before it asks its source to pause. */
const pieceBytes = 64 * 1024;

/**
 * Rewrites what a client sends over one connection so that every request is for `localhost`. All else passes as it came: header blocks
 * are written anew, without compression, since the next reader must not need a table that this one has.
 */
export class AuthorityRewriter {
  readonly #decoder = new HpackDecoder();
  /** What is collected until it is complete: the magic, a frame's header, or the payload of a frame of headers. */
  #buffer = Buffer.alloc(magic.length);
  #filled = 0;
  #expects: "magic" | "frame" | "payload" = "magic";
  #frame: FrameHeader | undefined;
  /** How much is still to come of a frame that passes as it is. */
  #passing = 0;
  #assembly: HeaderBlockAssembly | undefined;
  #prefaceDone = false;

  /** Whether the client has sent the magic and its first SETTINGS: whether it speaks HTTP/2 at all. */
  get prefaceDone(): boolean {
    return this.#prefaceDone;
  }

  /**
   * What to hand on for the next bytes of the client, piece by piece: headers may be a thousand times larger than they were sent, and are
   * decoded only as they are asked for. Throws `MalformedHeaders`, after which nothing more may be handed on.
   */
  *rewrite(chunk: Buffer): Generator<Buffer, void> {
    let out: Buffer[] = [];
    let size = 0;
    for (let rest = chunk; rest.length > 0; ) {
      const known = out.length;
      rest = this.#passing > 0 ? this.#pass(rest, out) : this.#collect(rest, out);
      for (const part of out.slice(known)) size += part.length;
      if (size < pieceBytes && rest.length > 0) continue;
      if (size > 0) yield Buffer.concat(out);
      out = [];
      size = 0;
    }
  }

  #pass(bytes: Buffer, out: Buffer[]): Buffer {
    const part = bytes.subarray(0, this.#passing);
    out.push(part);
    this.#passing -= part.length;
    if (this.#passing === 0) this.#prefaceDone = true;
    return bytes.subarray(part.length);
  }

  #collect(bytes: Buffer, out: Buffer[]): Buffer {
    const copied = bytes.copy(this.#buffer, this.#filled);
    this.#filled += copied;
    if (this.#filled === this.#buffer.length) out.push(...this.#complete(this.#buffer));
    return bytes.subarray(copied);
  }

  #complete(bytes: Buffer): readonly Buffer[] {
    switch (this.#expects) {
      case "magic":
        if (!bytes.equals(magic)) throw new MalformedHeaders("not HTTP/2");
        this.#expect("frame", frameHeaderBytes);
        return [bytes];
      case "frame":
        return this.#beginFrame(bytes);
      case "payload":
        this.#expect("frame", frameHeaderBytes);
        return this.#frame ? this.#headers(this.#frame, bytes) : [];
    }
  }

  #beginFrame(bytes: Buffer): readonly Buffer[] {
    const frame = parseFrameHeader(bytes);
    if (!this.#prefaceDone && frame.type !== frameType.settings) throw new MalformedHeaders("the first frame is not SETTINGS");
    if (this.#assembly || frame.type === frameType.headers || frame.type === frameType.continuation) {
      if (frame.length > maxFrameBytes) throw new MalformedHeaders("a frame of headers that is too large");
      this.#frame = frame;
      if (frame.length === 0) return this.#emptyFrame(frame);
      this.#expect("payload", frame.length);
      return [];
    }
    this.#expect("frame", frameHeaderBytes);
    this.#passing = frame.length;
    if (frame.length === 0) this.#prefaceDone = true;
    return [bytes];
  }

  #emptyFrame(frame: FrameHeader): readonly Buffer[] {
    this.#expect("frame", frameHeaderBytes);
    return this.#headers(frame, Buffer.alloc(0));
  }

  #headers(frame: FrameHeader, payload: Buffer): readonly Buffer[] {
    if (this.#assembly) this.#assembly.continueWith(frame, payload);
    else if (frame.type === frameType.headers) this.#assembly = new HeaderBlockAssembly(frame, payload);
    else throw new MalformedHeaders("CONTINUATION without HEADERS");
    const block = this.#assembly.block;
    if (!block) return [];
    this.#assembly = undefined;
    return framesOf({ ...block, bytes: encodeLiterals(forLocalhost(this.#decoder.decode(block.bytes))) });
  }

  #expect(what: "frame" | "payload", length: number): void {
    this.#expects = what;
    this.#buffer = Buffer.allocUnsafe(length);
    this.#filled = 0;
  }
}

/** The fields of a request with `localhost` in place of whatever it was addressed to; trailers are no request, and stay. */
function forLocalhost(fields: readonly HeaderField[]): readonly HeaderField[] {
  if (!fields.some(([name]) => name === ":method")) return fields;
  const others = fields.filter(([name]) => name !== ":authority" && name !== "host");
  return [[":authority", "localhost"], ...others];
}
