import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@csi-sidecars/base";
import type { PluginInfo } from "@csi-sidecars/csi";
import { ConditionVariable } from "../condition-variable.ts";
import { type RegisterPlugin, registerPlugin } from "./register-plugin.ts";

export interface PluginWatcherOptions {
  /** The registry directory. */
  readonly directory: string;
  /** Accepts every CSI driver unless given. */
  readonly register?: RegisterPlugin;
  readonly clock?: Clock;
}

/** What the watcher saw and did. */
export type WatcherRecord =
  | { readonly kind: "found" | "removed"; readonly socket: string }
  | { readonly kind: "registered"; readonly socket: string; readonly plugin: PluginInfo }
  | { readonly kind: "refused"; readonly socket: string; readonly plugin: PluginInfo; readonly error: string; readonly told: boolean }
  | { readonly kind: "unreachable"; readonly socket: string; readonly error: string }
  | { readonly kind: "deregistered"; readonly socket: string; readonly name: string };

interface Known {
  readonly identity: string;
  readonly removed: AbortController;
  plugin?: PluginInfo;
}

const firstRetryMs = 500;
const longestRetryMs = 122_000;
const rescanMs = 20;

/**
 * Stands in for kubelet's plugin manager: finds registration sockets in a directory, registers the drivers behind them, and forgets
 * a driver whose socket is removed.
 *
 * ```ts
 * await using kubelet = await startPluginWatcher({ directory });
 * await kubelet.until("the driver to be registered", () => kubelet.drivers.has("driver.example.com"));
 * ```
 */
export async function startPluginWatcher(options: PluginWatcherOptions): Promise<PluginWatcher> {
  const watcher = new PluginWatcher(options);
  await watcher.start();
  return watcher;
}

/** See {@link startPluginWatcher}. */
export class PluginWatcher implements AsyncDisposable {
  /** Everything in the order of events, over restarts. */
  readonly records: WatcherRecord[] = [];
  /** Accepts or refuses drivers; may be changed while it runs. */
  register: RegisterPlugin;
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changes = new ConditionVariable();
  readonly #registrations = new Set<Promise<void>>();
  #running = false;
  #scanning: Promise<void> = Promise.resolve();

  constructor({ directory, register = () => undefined, clock = systemClock }: PluginWatcherOptions) {
    this.#directory = directory;
    this.register = register;
    this.#clock = clock;
  }

  /** The registered drivers by name. */
  get drivers(): ReadonlyMap<string, PluginInfo> {
    return new Map([...this.#known.values()].flatMap(({ plugin }) => (plugin ? [[plugin.name, plugin] as const] : [])));
  }

  async start(): Promise<void> {
    this.#running = true;
    await this.#scan();
  }

  /** Stops as kubelet does, without notifying the plugins. */
  async stop(): Promise<void> {
    this.#running = false;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#scanning;
    for (const { removed } of this.#known.values()) removed.abort();
    await Promise.all(this.#registrations);
    this.#known.clear();
  }

  /** A restarted kubelet: it knows nothing and scans the directory. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Resolves when a condition on the records holds. */
  until(what: string, condition: () => boolean, ms = 20_000): Promise<void> {
    return this.#changes.until(condition, ms, () => `${what}; kubelet saw ${JSON.stringify(this.records)}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** One scan after the other; an event during a scan leads to another one. */
  #scan(): Promise<void> {
    this.#scanning = this.#scanning.then(() => this.#scanOnce()).catch(() => {});
    return this.#scanning;
  }

  async #scanOnce(): Promise<void> {
    if (!this.#running) return;
    const { sockets, folders } = await scanRegistry(this.#directory);
    if (!this.#running) return;
    for (const [socket, { identity }] of this.#known) if (sockets.get(socket) !== identity) this.#removed(socket);
    for (const [socket, identity] of sockets) if (!this.#known.has(socket)) this.#found(socket, identity);
    this.#watch(folders);
  }

  /** A folder that is watched for the first time is scanned again: a file may have been created in between. */
  #watch(folders: readonly string[]): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      const watcher = watch(folder, () => {
        void this.#scan();
        // Bun drops an event that equals the one a millisecond before it: a removal can hide the next creation.
        setTimeout(() => void this.#scan(), rescanMs);
      });
      watcher.on("error", () => {});
      this.#watchers.set(folder, watcher);
      void this.#scan();
    }
  }

  #found(socket: string, identity: string): void {
    const known: Known = { identity, removed: new AbortController() };
    this.#known.set(socket, known);
    this.#record({ kind: "found", socket });
    const registration = this.#registerWithRetries(socket, known).finally(() => this.#registrations.delete(registration));
    this.#registrations.add(registration);
  }

  #removed(socket: string): void {
    const known = this.#known.get(socket);
    if (!known) return;
    this.#known.delete(socket);
    known.removed.abort();
    this.#record({ kind: "removed", socket });
    if (known.plugin) this.#record({ kind: "deregistered", socket, name: known.plugin.name });
  }

  /** Retries registration with kubelet's backoff until it succeeds or the socket is removed. */
  async #registerWithRetries(socket: string, known: Known): Promise<void> {
    const { signal } = known.removed;
    for (let attempt = 1, delay = firstRetryMs; !signal.aborted; attempt++, delay = Math.min(delay * 2, longestRetryMs)) {
      const register: RegisterPlugin = (plugin, times) => this.register(plugin, times);
      const registration = await registerPlugin({ socket, attempt, register, signal, clock: this.#clock });
      if (signal.aborted) return;
      if (registration.kind === "registered") known.plugin = registration.plugin;
      this.#record({ socket, ...registration });
      if (registration.kind === "registered") return;
      await this.#clock.sleep(delay, signal).catch(() => {});
    }
  }

  #record(record: WatcherRecord): void {
    this.records.push(record);
    this.#changes.changed();
  }
}

/** What a registry directory holds at one moment. */
interface RegistryScan {
  /** Sockets by path, with what tells a file from another one of the same path. */
  readonly sockets: ReadonlyMap<string, string>;
  readonly folders: readonly string[];
}

/** Walks a registry directory as kubelet does: into folders, past names that begin with a dot. */
async function scanRegistry(root: string): Promise<RegistryScan> {
  const sockets = new Map<string, string>();
  const folders: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    const names = await readdir(folder).catch(() => undefined);
    if (!names) return;
    folders.push(folder);
    for (const name of names) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      const stat = await lstat(path, { bigint: true }).catch(() => undefined);
      if (stat?.isSocket()) sockets.set(path, `${stat.ino}/${stat.birthtimeNs}`);
      else if (stat?.isDirectory()) await walk(path);
    }
  };
  await walk(root);
  return { sockets, folders };
}
