import type { HttpRequest } from "./request-reader.ts";

/** Who the client's certificate says it is; only certificates that our authority signed get this far. */
export interface PeerSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** How a connection introduced itself: with a good certificate, a bad one, or none. */
export type Peer =
  | { readonly certificate: "none" }
  | { readonly certificate: "untrusted" }
  | { readonly certificate: "trusted"; readonly subject: PeerSubject };

/** One request and the ways to answer it; exactly one of `answer`, `stream` and `cut` ends it. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly peer: Peer;
  answer(code: number, headers: Readonly<Record<string, string>>, body: string): void;
  /** Begins an answer of unknown length. */
  stream(code: number, headers: Readonly<Record<string, string>>): BodyStream;
  /** Closes the connection without an answer. */
  cut(): void;
}

/** A chunked body under way. Everything written is framed already, see `chunkBytes`. */
export interface BodyStream {
  write(framed: Uint8Array): void;
  /** Resolves when the client has taken most of what was written, or is gone. */
  drained(): Promise<void>;
  /** The proper end of the body; the connection stays usable. */
  end(): void;
  /** Breaks the connection off in the middle, after what was written so far. */
  cut(): void;
  /** Called once when the client goes away or the connection is cut. */
  onClose(listener: () => void): void;
  readonly closed: boolean;
}
