import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Logger, Timer } from "@csi-sidecars/base";
import { askInfo } from "./ask-info.ts";
import { type FileIdentity, socketAt } from "./socket-file.ts";

export interface UntilLostOptions {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly driverName: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Events can be missed, and a directory that was replaced sends none. */
const regularLookMs = 10_000;
/**
 * Bun leaves out an event that equals the one a millisecond before it. And another registrar may first remove our socket and then make
 * its own: what is gone must be gone for this long.
 */
const secondLookMs = 100;
const askMs = 1_000;

/**
 * Resolves when kubelet can no longer find the driver at the path: the socket was removed, or replaced by one that does not answer
 * for this driver. Resolves also when the signal aborts.
 */
export async function untilLost(options: UntilLostOptions): Promise<void> {
  const isLost = lossOf(options);
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
  const stop = lookOften(options, look);
  const onAbort = () => ended.resolve();
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  await ended.promise;
  options.signal.removeEventListener("abort", onAbort);
  stop();
}

/**
 * Whether the driver can be found no more. Another registrar that answers for it (in a rolling update) is left in peace: fighting
 * over the path would register the driver again and again.
 */
function lossOf({ path, identity, driverName, clock, log }: UntilLostOptions): () => Promise<boolean> {
  let accepted = identity;
  return async () => {
    const found = await socketAt(path).catch(() => "something else" as const);
    if (found === undefined) return stillGone(path, clock);
    if (found === "something else") return false;
    if (found.ino === accepted.ino && found.dev === accepted.dev) return false;
    const answer = await askInfo({ path, connectMs: askMs, callMs: askMs, clock });
    if (answer.step !== "done" || answer.info.name !== driverName) return true;
    log.info("Another registrar serves this driver now, it is left in peace", { socketPath: path });
    accepted = found;
    return false;
  };
}

async function stillGone(path: string, clock: Clock): Promise<boolean> {
  await clock.sleep(secondLookMs);
  return (await socketAt(path).catch(() => "something else")) === undefined;
}

/** Calls `look` now, whenever the path's directory changes, and from time to time; returns how to stop that. */
function lookOften({ path, clock, log }: UntilLostOptions, look: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let second: Timer | undefined;
  try {
    watcher = watch(dirname(path), () => {
      look();
      second?.cancel();
      second = clock.after(secondLookMs, look);
    });
    watcher.on("error", () => watcher?.close());
  } catch (error) {
    log.v(2).info("Cannot watch the directory of the registration socket", { err: String(error) });
  }
  let regular: Timer;
  const lookRegularly = () => {
    look();
    regular = clock.after(regularLookMs, lookRegularly);
  };
  lookRegularly();
  return () => {
    watcher?.close();
    second?.cancel();
    regular.cancel();
  };
}
