import { gunzipSync } from "node:zlib";
import { MalformedResponseError, ResponseError } from "./response-error.ts";

/**
 * Of a body that is read as a whole, also after decompression. Lists of large clusters have hundreds of MiB and net/http of Go has no
 * limit; twice that would not fit into the memory of a sidecar, whoever sends it.
 */
export const defaultMaxBodyBytes = 512 * 1024 * 1024;

/** Small parts are joined in groups: a server that sends single bytes must not make each cost an object. */
const groupSize = 1024;

const decoder = new TextDecoder();

/** Collects a body that is read as a whole. */
export class BodyText {
  readonly #maxBytes: number;
  #groups: Uint8Array[] = [];
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes = defaultMaxBodyBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Throws ResponseError when it becomes too large. */
  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
    if (this.#parts.push(part) === groupSize) this.#join();
  }

  /** `encoding`: the header `content-encoding`. */
  decode(encoding: string | undefined): string {
    if (this.#bytes === 0) return "";
    const body = this.#whole();
    switch (encoding?.toLowerCase()) {
      case "gzip":
        return decoder.decode(gunzip(body, this.#maxBytes));
      case undefined:
      case "identity":
        return decoder.decode(body);
      default:
        throw new MalformedResponseError("its content encoding is not gzip");
    }
  }

  #join(): void {
    this.#groups.push(Buffer.concat(this.#parts));
    this.#parts = [];
  }

  #whole(): Uint8Array {
    const all = [...this.#groups, ...this.#parts];
    const [first] = all;
    return first && all.length === 1 ? first : Buffer.concat(all);
  }
}

function gunzip(body: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(maxBytes, cause);
    throw new MalformedResponseError("its gzip data is corrupt", { cause });
  }
}

function tooLarge(maxBytes: number, cause?: unknown): ResponseError {
  return new ResponseError(`is larger than ${maxBytes / 1024 / 1024} MiB, the most that is read at once`, { cause });
}
