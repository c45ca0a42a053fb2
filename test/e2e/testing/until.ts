import { until as waitUntil } from "@csi-sidecars/base/testing";

/** Waits as long as a test with several processes may take. */
export function until<T>(what: string, check: () => T | undefined | false | Promise<T | undefined | false>, limitMs = 30_000): Promise<T> {
  return waitUntil(what, check, limitMs);
}
