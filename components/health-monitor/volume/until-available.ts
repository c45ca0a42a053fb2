import type { Availability } from "@csi-sidecars/csi";

/** Waits for a driver that is away, or for the signal: a call would wait for it too, and fail when its time is over. */
export async function untilAvailable(availability: Availability, signal: AbortSignal): Promise<void> {
  if (availability.available || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const unsubscribe = availability.subscribe(wake);
  signal.addEventListener("abort", wake, { once: true });
  await promise;
  signal.removeEventListener("abort", wake);
  unsubscribe();
}
