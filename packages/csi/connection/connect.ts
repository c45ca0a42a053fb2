import { type Clock, type Logger, silentLogger, systemClock, writeTerminationLog } from "@csi-sidecars/base";
import { Channel, type ChannelState, type LossDecision } from "../grpc/channel.ts";
import type { Interceptor } from "../grpc/service-client.ts";
import type { LossReason } from "../grpc/session.ts";
import type { OperationMetrics } from "../metrics/operation-metrics.ts";
import { cachedCapabilities, type DriverCapabilities } from "./capabilities.ts";
import { type DriverCallOptions, type DriverClient, driverClient } from "./driver-client.ts";
import { logCalls, measureCalls } from "./interceptors.ts";
import { parseAddress, socketPath } from "./parse-address.ts";

export interface ConnectOptions {
  /** `--csi-address` */
  readonly address: string;
  /** How long to wait for the first connection; 0 waits forever. Reconnecting later has no limit. */
  readonly timeoutMs?: number;
  /** Decides what happens when the connection is lost; unix sockets only. Without it the driver is redialled in the background. */
  readonly onLoss?: (reason: LossReason) => LossDecision;
  readonly metrics?: OperationMetrics;
  /** `--max-grpc-log-length` */
  readonly maxLogLength?: number;
  readonly maxReceiveBytes?: number;
  readonly userAgent?: string;
  /** See every unary call before logs and metrics do. */
  readonly interceptors?: readonly Interceptor<DriverCallOptions>[];
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** A connection to a driver that was reached at least once; it is re-established in the background when it is lost. */
export interface DriverConnection extends Disposable {
  readonly address: string;
  readonly driver: DriverClient;
  readonly capabilities: DriverCapabilities;
  /** Changes as soon as the socket does, whether or not calls are made. */
  readonly state: ChannelState;
  /** Counts connections: what was learned from the driver under another number may be stale. */
  readonly generation: number;
  /** Calls `listener` on every change of state; returns how to stop that. */
  subscribe(listener: (state: ChannelState) => void): () => void;
  /** Resolves with the generation as soon as calls go through; rejects when they never will again, or when the signal aborts. */
  ready(signal: AbortSignal): Promise<number>;
  close(): void;
}

const defaultTimeoutMs = 30_000;

/** Connects to a CSI driver; dials at least twice a second until it answers or the time is over. */
export async function connectDriver(options: ConnectOptions): Promise<DriverConnection> {
  const { address, timeoutMs = defaultTimeoutMs, maxLogLength = -1, metrics, clock = systemClock, log = silentLogger, signal } = options;
  const { interceptors = [] } = options;
  const target = parseTarget(options);
  const channel = new Channel({ ...options, target, clock, log });
  try {
    await firstConnection(channel, clock, timeoutMs, signal);
  } catch (error) {
    channel.close();
    throw error;
  }
  const driver = driverClient(channel, [...interceptors, logCalls(log, maxLogLength), ...(metrics ? [measureCalls(metrics, clock)] : [])]);
  return {
    address,
    driver,
    capabilities: cachedCapabilities(driver, () => channel.generation),
    get state() {
      return channel.state;
    },
    get generation() {
      return channel.generation;
    },
    subscribe: (listener) => channel.subscribe(listener),
    async ready(readySignal) {
      await channel.acquire(true, readySignal);
      return channel.generation;
    },
    close: () => channel.close(),
    [Symbol.dispose]: () => channel.close(),
  };
}

function parseTarget({ address, onLoss }: ConnectOptions) {
  if (onLoss && socketPath(address, process.platform) === undefined) {
    throw new Error(
      `csi-address ${JSON.stringify(address)}: OnConnectionLoss callback only supported for unix:// addresses; use the path of a socket`,
    );
  }
  return parseAddress(address);
}

async function firstConnection(channel: Channel, clock: Clock, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
  const giveUp = new AbortController();
  const timer = timeoutMs > 0 ? clock.after(timeoutMs, () => giveUp.abort()) : undefined;
  try {
    await channel.acquire(true, signal ? AbortSignal.any([signal, giveUp.signal]) : giveUp.signal);
  } catch (error) {
    signal?.throwIfAborted();
    const { state } = channel;
    const cause = state.phase === "connecting" && state.lastError ? new Error(state.lastError) : error;
    throw giveUp.signal.aborted ? new Error("context deadline exceeded", { cause }) : error;
  } finally {
    timer?.cancel();
  }
}

const exitMessage = "Lost connection to CSI driver, exiting";

export interface ExitOnLossOptions {
  readonly log: Logger;
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** The container's terminationMessagePath. */
  readonly terminationLog?: string;
}

/** The loss policy of sidecars whose state is stale without their driver: write a termination message and exit with 1. */
export function exitOnLoss({ log, exit, terminationLog = "/dev/termination-log" }: ExitOnLossOptions): () => LossDecision {
  return () => {
    writeTerminationLog(terminationLog, exitMessage, log);
    log.error(undefined, exitMessage);
    exit(1);
    return "refuse";
  };
}
