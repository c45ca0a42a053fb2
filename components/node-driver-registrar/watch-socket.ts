import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Logger, Timer } from "@csi-sidecars/base";
import { getInfo } from "./registration-service.ts";
import { type FileIdentity, socketAt } from "./registration-socket.ts";

export interface WatchSocketOptions {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly driverName: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Poll as well: events can be missed, and a directory that was replaced sends none. */
const pollMs = 10_000;
/**
 * Look again this long after an event: Bun drops one that equals the event a millisecond before it. And another registrar may remove
 * our socket before it creates its own: a socket counts as gone only if it is gone for this long.
 */
const settleMs = 100;
const getInfoTimeoutMs = 1_000;

/**
 * Resolves when kubelet can no longer find the driver at the path: the socket was removed, or replaced by one that does not answer
 * for this driver. Resolves also when the signal aborts.
 */
export async function untilSocketLost(options: WatchSocketOptions): Promise<void> {
  const isLost = isLostCheck(options);
  const ended = Promise.withResolvers<void>();
  let looking = false;
  let changed = false;
  const look = async (): Promise<void> => {
    changed = true;
    if (looking) return;
    looking = true;
    while (changed) {
      changed = false;
      if (await isLost()) ended.resolve();
    }
    looking = false;
  };
  const stop = watchDirectory(options, look);
  const onAbort = () => ended.resolve();
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  await ended.promise;
  options.signal.removeEventListener("abort", onAbort);
  stop();
}

/**
 * Checks whether the registration is lost. Another registrar that answers for the driver (in a rolling update) is left alone: two
 * that replace each other's socket would register the driver again and again.
 */
function isLostCheck({ path, identity, driverName, clock, log }: WatchSocketOptions): () => Promise<boolean> {
  let accepted = identity;
  return async () => {
    const found = await socketAt(path).catch(() => "something else" as const);
    if (found === undefined) return stillGone(path, clock);
    if (found === "something else") return false;
    if (found.ino === accepted.ino && found.dev === accepted.dev) return false;
    const answer = await getInfo({ path, connectMs: getInfoTimeoutMs, callMs: getInfoTimeoutMs, clock });
    if (answer.step !== "done" || answer.info.name !== driverName) return true;
    log.info("Another registrar serves this driver now, leaving its socket alone", { socketPath: path });
    accepted = found;
    return false;
  };
}

async function stillGone(path: string, clock: Clock): Promise<boolean> {
  await clock.sleep(settleMs);
  return (await socketAt(path).catch(() => "something else")) === undefined;
}

/** Calls `look` now, whenever the path's directory changes, and periodically; returns how to stop that. */
function watchDirectory({ path, clock, log }: WatchSocketOptions, look: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let second: Timer | undefined;
  try {
    watcher = watch(dirname(path), () => {
      look();
      second?.cancel();
      second = clock.after(settleMs, look);
    });
    watcher.on("error", () => watcher?.close());
  } catch (error) {
    log.v(2).info("Failed to watch the directory of the registration socket", { err: String(error) });
  }
  let regular: Timer;
  const poll = () => {
    look();
    regular = clock.after(pollMs, poll);
  };
  poll();
  return () => {
    watcher?.close();
    second?.cancel();
    regular.cancel();
  };
}
