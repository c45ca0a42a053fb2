/** A connection as a runtime brings it: bytes out, bytes in. */
export interface Wire {
  /** Takes all of it, sooner or later. */
  write(text: string): void;
  /** No bytes are wanted until `resume`. */
  pause(): void;
  resume(): void;
  /** Nothing is expected from now on: it ends after so many seconds, and keeps no process alive until then. */
  rest(seconds: number): void;
  /** Something is expected again. */
  wake(): void;
  /** Whether all that was written has left. */
  readonly flushed: boolean;
  /** Ends at once. */
  end(): void;
}

export interface WireEvents {
  /** The connection is there and, with TLS, the server is who it should be. */
  opened(): void;
  received(bytes: Buffer): void;
  /** Told once, also of a connection that never was. `error` has a system or OpenSSL `code`. */
  closed(error: Error | undefined): void;
}

/** Begins to connect. */
export type Dial = (events: WireEvents) => Wire;
