import type { Clock } from "@csi-sidecars/base";
import type { ComponentScope } from "./component-scope.ts";

/** A component's clock: what its timers throw is its own fault. */
export function scopedClock(clock: Clock, scope: ComponentScope): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, fn) => clock.after(ms, () => scope.call(fn)),
    sleep: (ms, signal) => scope.watch(clock.sleep(ms, signal)),
  };
}
