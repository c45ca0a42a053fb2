import type { Status } from "./client.ts";

/** The API server said no. `message` is exactly `status.message`: event messages embed it. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? "unknown error", options);
    this.status = status;
  }

  /** Only the message, as in Go: callers embed errors in events by converting them to text. */
  override toString(): string {
    return this.message;
  }
}
