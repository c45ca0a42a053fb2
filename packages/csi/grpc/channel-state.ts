/**
 * What a channel is doing.
 * - `connecting`: no connection; attempts go on in the background.
 * - `ready`: calls go through. `generation` counts the connections so far: what was learned from an earlier one may be stale.
 * - `lost`: the connection is gone; followed at once by `connecting`, or final when the loss policy refused that.
 * - `closed`: by its owner.
 */
export type ChannelState =
  | { readonly phase: "connecting"; readonly lastError?: string }
  | { readonly phase: "ready"; readonly generation: number }
  | { readonly phase: "lost"; readonly generation: number; readonly reason: LossReason; readonly reconnecting: boolean }
  | { readonly phase: "closed" };

/** `goaway`: the server said it is leaving; `closed`: the socket closed. */
export type LossReason = "goaway" | "closed";

/** What to do about a lost connection: dial again, or fail every further call. */
export type LossDecision = "reconnect" | "refuse";
