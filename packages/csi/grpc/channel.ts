import { type Backoff, backoffDelays, type Clock, type Logger, silentLogger, systemClock, type Timer } from "@csi-sidecars/base";
import { type LossReason, Session } from "./session.ts";
import { Code, canceled, GrpcError } from "./status.ts";
import { dialErrorText, type Target } from "./target.ts";

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

/** What to do about a lost connection: dial again, or fail every further call. */
export type LossDecision = "reconnect" | "refuse";

export interface ChannelOptions {
  readonly target: Target;
  /** Names the target in logs; the address as the user gave it. */
  readonly address?: string;
  /**
   * Asked once per loss, before the first new attempt. Without it the channel always reconnects; and so it does after a connection that
   * this side closed over what the server sent, because the server is still there.
   */
  readonly onLoss?: (reason: LossReason) => LossDecision;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly random?: () => number;
  /** How long one attempt may take. */
  readonly attemptTimeoutMs?: number;
  readonly userAgent?: string;
  /** Largest answer accepted: 64 MiB unless set. */
  readonly maxReceiveBytes?: number;
}

/**
 * Room for a ListVolumes of some 100,000 volumes in one page; gRPC's usual 4 MiB is not. What is larger fails its call instead of costing
 * the memory of every other one.
 */
const defaultMaxReceiveBytes = 64 * 1024 * 1024;

/** Dialling a socket without a listener is cheap, and work waits for a driver that is back: half a second at most. */
const reconnectBackoff: Backoff = { start: 50, factor: 2, cap: 500, jitter: 0.2 };
const progressMs = 10_000;

/**
 * Keeps one connection to a server up, from construction until {@link Channel.close}, whether or not calls are made: a lost
 * connection is noticed when the socket closes, and redialled in the background.
 */
export class Channel {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly maxReceiveBytes: number;
  readonly #options: ChannelOptions;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(state: ChannelState) => void>();
  #state: ChannelState = { phase: "connecting" };
  #session: Session | undefined;
  #generation = 0;
  #redialled = Number.NEGATIVE_INFINITY;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.userAgent = options.userAgent ?? "csi-sidecars-grpc";
    this.maxReceiveBytes = options.maxReceiveBytes ?? defaultMaxReceiveBytes;
    this.#log = options.log ?? silentLogger;
    void this.#connect(0);
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** How many connections there have been, the present one included. */
  get generation(): number {
    return this.#generation;
  }

  /** Calls `listener` on every change from now on; returns how to stop that. */
  subscribe(listener: (state: ChannelState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The session calls start on right now, if any. */
  get session(): Session | undefined {
    return this.#session?.usable ? this.#session : undefined;
  }

  /**
   * A session for a call that found none. Fails fast, as gRPC does: it waits for an attempt that is under way, and rejects with
   * Unavailable when the last one failed, unless the call is willing to wait.
   */
  acquire(waitForReady: boolean, signal: AbortSignal): Promise<Session> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        stop();
        signal.removeEventListener("abort", onAbort);
        done();
      };
      const onAbort = () => settle(() => reject(canceled(signal.reason, "unsent")));
      const look = () => {
        const { session } = this;
        if (session) return settle(() => resolve(session));
        const refusal = this.#refusal(waitForReady);
        if (refusal) settle(() => reject(refusal));
      };
      const stop = this.subscribe(look);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      else look();
    });
  }

  /** Ends the connection; calls in flight fail with Unavailable, later ones with Canceled. */
  close(): void {
    if (this.#state.phase === "closed") return;
    this.#become({ phase: "closed" });
    this.#closing.abort();
    this.#session?.destroy();
    this.#session = undefined;
  }

  #refusal(waitForReady: boolean): GrpcError | undefined {
    const state = this.#state;
    switch (state.phase) {
      case "ready":
        return undefined;
      case "connecting":
        return state.lastError === undefined || waitForReady ? undefined : dialError(state.lastError);
      case "lost":
        return state.reconnecting ? undefined : dialError("connection lost, reconnecting disabled");
      case "closed":
        return new GrpcError(Code.Canceled, "grpc: the client connection is closing", { origin: "unsent" });
    }
  }

  async #connect(delayMs: number): Promise<void> {
    const { signal } = this.#closing;
    const stopReporting = this.#reportProgress();
    try {
      if (delayMs > 0) await this.clock.sleep(delayMs, signal);
      this.#ready(await this.#dialUntilConnected(signal));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      stopReporting();
    }
  }

  async #dialUntilConnected(signal: AbortSignal): Promise<Session> {
    const { target, attemptTimeoutMs: timeoutMs = 20_000, random } = this.#options;
    for (const delay of backoffDelays(reconnectBackoff, random)) {
      const started = this.clock.monotonic();
      try {
        return await Session.open({ target, clock: this.clock, timeoutMs, signal });
      } catch (error) {
        signal.throwIfAborted();
        const lastError = dialErrorText(target, error);
        this.#log.v(5).info("Connecting failed", { address: this.#address, err: lastError });
        this.#become({ phase: "connecting", lastError });
      }
      await this.clock.sleep(Math.max(0, delay - (this.clock.monotonic() - started)), signal);
    }
    throw signal.reason;
  }

  #ready(session: Session): void {
    if (this.#closing.signal.aborted) {
      session.destroy();
      return;
    }
    this.#session = session;
    this.#generation++;
    this.#become({ phase: "ready", generation: this.#generation });
    session.onEnd((reason) => {
      if (this.#closing.signal.aborted) return;
      this.#session = undefined;
      if (reason === "goaway") session.close();
      this.#lost(reason);
    });
  }

  #lost(reason: LossReason): void {
    this.#log.error(undefined, "Lost connection", { address: this.#address, reason });
    const reconnecting = reason === "violation" || this.#options.onLoss?.(reason) !== "refuse";
    if (this.#closing.signal.aborted) return;
    this.#become({ phase: "lost", generation: this.#generation, reason, reconnecting });
    if (!reconnecting || this.#closing.signal.aborted) return;
    // The first attempt comes at once, but a server that accepts and hangs up must not be dialled in a tight loop.
    const hangsUp = this.clock.monotonic() - this.#redialled < reconnectBackoff.cap;
    this.#redialled = this.clock.monotonic();
    this.#become(hangsUp ? { phase: "connecting", lastError: "the server closed the connection" } : { phase: "connecting" });
    void this.#connect(hangsUp ? reconnectBackoff.cap : 0);
  }

  #become(state: ChannelState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }

  /** Logs that connecting still goes on; returns how to stop. */
  #reportProgress(): () => void {
    this.#log.v(5).info("Connecting", { address: this.#address });
    const report = (): Timer =>
      this.clock.after(progressMs, () => {
        const { lastError } = this.#state.phase === "connecting" ? this.#state : {};
        this.#log.info("Still connecting", { address: this.#address, ...(lastError !== undefined && { lastError }) });
        timer = report();
      });
    let timer = report();
    return () => timer.cancel();
  }

  get #address(): string {
    const { address, target } = this.#options;
    return address ?? (target.kind === "unix" ? `unix://${target.path}` : `${target.host}:${target.port}`);
  }
}

function dialError(text: string): GrpcError {
  const details = `connection error: desc = "transport: Error while dialing: ${text}"`;
  return new GrpcError(Code.Unavailable, details, { origin: "unsent" });
}
