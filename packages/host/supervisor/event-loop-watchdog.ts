import type { Clock, Logger } from "@csi-sidecars/base";
import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";

const periodMs = 1_000;
const logThresholdMs = 5_000;
const unhealthyMs = 10_000;

export interface WatchdogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly signal: AbortSignal;
  /** The component that ran last before a stall. */
  readonly lastEntered: () => string | undefined;
  /** Called as long as the event loop turns, once a second. */
  readonly onTurn?: () => void;
}

export function eventLoopLag(registry: Registry): Gauge {
  return new Gauge({
    name: "csi_sidecars_event_loop_lag_seconds",
    help: "[ALPHA] How late the last timer of the event loop was",
    registers: [registry],
  });
}

/** Measures how late timers are: nothing else in this process runs while something holds the event loop. */
export function startWatchdog({ clock, log, registry, signal, lastEntered, onTurn }: WatchdogOptions): { problem(): string | undefined } {
  let lagMs = 0;
  const gauge = eventLoopLag(registry);
  const watch = () => {
    const due = clock.monotonic() + periodMs;
    const timer = clock.after(periodMs, () => {
      signal.removeEventListener("abort", cancel);
      if (signal.aborted) return;
      onTurn?.();
      lagMs = Math.max(0, clock.monotonic() - due);
      gauge.set(lagMs / 1_000);
      if (lagMs > logThresholdMs) {
        log.error(undefined, "The event loop was blocked", { seconds: Math.round(lagMs / 1_000), lastEntered: lastEntered() ?? "unknown" });
      }
      watch();
    });
    const cancel = () => timer.cancel();
    signal.addEventListener("abort", cancel, { once: true });
  };
  watch();
  return { problem: () => (lagMs < unhealthyMs ? undefined : `the event loop was blocked for ${Math.round(lagMs / 1_000)} s`) };
}
