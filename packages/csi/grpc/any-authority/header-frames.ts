import { MalformedHeaders } from "./malformed-headers.ts";

/** The first nine bytes of an HTTP/2 frame. */
export interface FrameHeader {
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

export const frameHeaderBytes = 9;

/** The longest payload of a frame that a server accepts unless it announces more. */
export const maxFrameBytes = 16_384;

export const frameType = { headers: 1, settings: 4, continuation: 9 } as const;

const flag = { endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export function parseFrameHeader(bytes: Buffer): FrameHeader {
  return {
    length: bytes.readUIntBE(0, 3),
    type: bytes.readUInt8(3),
    flags: bytes.readUInt8(4),
    stream: bytes.readUInt32BE(5) & 0x7fffffff,
  };
}

function frameHeader({ length, type, flags, stream }: FrameHeader): Buffer {
  const bytes = Buffer.alloc(frameHeaderBytes);
  bytes.writeUIntBE(length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  return bytes;
}

/** How many bytes a header block may have as it is sent. */
const largestBlock = 64 * 1024;

/** A header block and what its HEADERS frame says of the stream. */
export interface HeaderBlock {
  readonly stream: number;
  readonly endStream: boolean;
  readonly bytes: Buffer;
}

/** Puts a header block together from its HEADERS frame and the CONTINUATION frames that follow. Padding and priority are left out. */
export class HeaderBlockAssembly {
  readonly #stream: number;
  readonly #endStream: boolean;
  readonly #parts: Buffer[];
  #size: number;
  #complete: boolean;

  constructor({ stream, flags }: FrameHeader, payload: Buffer) {
    if (stream === 0) throw new MalformedHeaders("HEADERS without a stream");
    const part = withoutPadding(flags, payload);
    this.#stream = stream;
    this.#endStream = (flags & flag.endStream) !== 0;
    this.#complete = (flags & flag.endHeaders) !== 0;
    this.#parts = [part];
    this.#size = part.length;
  }

  /** The block, once its last frame has come. */
  get block(): HeaderBlock | undefined {
    if (!this.#complete) return undefined;
    return { stream: this.#stream, endStream: this.#endStream, bytes: Buffer.concat(this.#parts) };
  }

  continueWith({ type, stream, flags }: FrameHeader, payload: Buffer): void {
    if (type !== frameType.continuation || stream !== this.#stream) throw new MalformedHeaders("a frame amid a header block");
    this.#complete = (flags & flag.endHeaders) !== 0;
    // Empty frames would keep the block open for ever.
    if (payload.length === 0 && !this.#complete) throw new MalformedHeaders("an empty CONTINUATION");
    this.#parts.push(payload);
    this.#size += payload.length;
    if (this.#size > largestBlock) throw new MalformedHeaders("a header block that is too large");
  }
}

function withoutPadding(flags: number, payload: Buffer): Buffer {
  const isPadded = (flags & flag.padded) !== 0;
  const start = (isPadded ? 1 : 0) + (flags & flag.priority ? 5 : 0);
  const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
  if (start > end) throw new MalformedHeaders("more padding than payload");
  return payload.subarray(start, end);
}

/** The frames that carry a block, none larger than every server accepts. */
export function framesOf({ stream, endStream, bytes }: HeaderBlock): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += maxFrameBytes) {
    const part = bytes.subarray(at, at + maxFrameBytes);
    const isLast = at + maxFrameBytes >= bytes.length;
    const isFirst = at === 0;
    const flags = (isLast ? flag.endHeaders : 0) | (isFirst && endStream ? flag.endStream : 0);
    const type = isFirst ? frameType.headers : frameType.continuation;
    frames.push(frameHeader({ length: part.length, type, flags, stream }), part);
  }
  return frames;
}
