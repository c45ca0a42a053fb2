import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, codeName, GrpcError, type HandlerContext } from "@csi-sidecars/csi";
import { CallLog, type DriverCall, overlapping, volumeOf } from "./call-log.ts";
import { type DriverOptions, type Settings, settingsOf } from "./driver-options.ts";
import { Listener } from "./listener.ts";
import { type Behaviour, changesSomething, type Method, type Request } from "./methods.ts";
import { type RandomFaults, randomFaults } from "./random-faults.ts";
import { Gates, runStep } from "./run-step.ts";
import type { PlayedStep, Step } from "./step.ts";
import { behaviour, checkCapability } from "./storage/behaviour.ts";
import { addVolume, emptyStorage, type StoredGroup, type StoredSnapshot, type StoredVolume, type VolumeInput } from "./storage/storage.ts";

/**
 * A CSI driver on a unix socket with storage in memory, which fails when and how its script says.
 *
 * ```ts
 * await using driver = await startScriptedDriver({ capabilities: "attachable", script: { CreateVolume: [step.lost] } });
 * const connection = await connectDriver({ address: driver.address });
 * // ...
 * expect(driver.calls("CreateVolume")).toHaveLength(2);
 * expect(driver.volumes.size).toBe(1);
 * ```
 */
export async function startScriptedDriver(options: DriverOptions = {}): Promise<ScriptedDriver> {
  const folder = options.socket === undefined ? await mkdtemp(join(tmpdir(), "csi-driver-")) : undefined;
  const driver = new ScriptedDriver(options, options.socket ?? join(folder ?? "", "csi.sock"), folder);
  if (options.started ?? true) await driver.start();
  return driver;
}

/** See {@link startScriptedDriver}. The storage and the script outlive restarts. */
export class ScriptedDriver implements AsyncDisposable {
  /** The path of its socket: what `--csi-address` takes. */
  readonly address: string;
  /** May be changed while it runs. */
  readonly settings: Settings;
  readonly #folder: string | undefined;
  readonly #storage = emptyStorage();
  readonly #behaviour: Behaviour;
  readonly #log = new CallLog();
  readonly #gates = new Gates();
  readonly #steps = new Map<Method, PlayedStep[]>();
  readonly #always = new Map<Method, PlayedStep>();
  #fault: (method: Method) => PlayedStep;
  readonly #listeners: readonly Listener[];
  #running = false;
  #life = new AbortController();
  #disposed = false;

  constructor(options: DriverOptions, address: string, folder: string | undefined) {
    this.address = address;
    this.#folder = folder;
    this.settings = settingsOf(options);
    this.#behaviour = behaviour(this.#storage, this.settings);
    this.#listeners = [undefined, ...(options.callers ?? [])].map(
      (caller) => new Listener(this.addressOf(caller), (method, request, context) => this.#serve(method, request, context, caller)),
    );
    this.#fault = options.faults ? randomFaults(options.faults) : () => ({ kind: "act" });
    for (const volume of options.volumes ?? []) this.addVolume(volume);
    for (const [method, steps] of Object.entries(options.script ?? {})) this.#steps.set(method as Method, [...steps]);
  }

  /** The path of the socket for one of the `callers`. */
  addressOf(caller: string | undefined): string {
    return caller === undefined ? this.address : `${this.address}.${caller}`;
  }

  /** By id. */
  get volumes(): ReadonlyMap<string, StoredVolume> {
    return this.#storage.volumes;
  }

  /** By id. */
  get snapshots(): ReadonlyMap<string, StoredSnapshot> {
    return this.#storage.snapshots;
  }

  /** By id. */
  get groups(): ReadonlyMap<string, StoredGroup> {
    return this.#storage.groups;
  }

  volumeNamed(name: string): StoredVolume | undefined {
    return [...this.volumes.values()].find((volume) => volume.name === name);
  }

  /** The nodes that a volume is published to. */
  publishedTo(volumeId: string): string[] {
    return [...(this.volumes.get(volumeId)?.published.keys() ?? [])];
  }

  addVolume(volume: VolumeInput): StoredVolume {
    return addVolume(this.#storage, volume);
  }

  /** Takes a group snapshot that no call asked for: what an administrator provisions. */
  addGroup(sourceVolumeIds: readonly string[], name = `group of ${sourceVolumeIds.join()}`): StoredGroup {
    const answer = this.#behaviour.CreateVolumeGroupSnapshot({ name, sourceVolumeIds, parameters: {}, secrets: {} });
    const group = this.groups.get(answer.groupSnapshot?.groupSnapshotId ?? "");
    if (!group) throw new Error(`there is no group of ${sourceVolumeIds.join()}`);
    return group;
  }

  /** Makes every snapshot usable. */
  finishSnapshots(): void {
    for (const snapshot of this.#storage.snapshots.values()) snapshot.readyToUse = true;
  }

  /** Every call in the order of arrival, or those of one method. */
  calls(): readonly DriverCall[];
  calls<M extends Method>(method: M): readonly DriverCall<M>[];
  calls(method?: Method): readonly DriverCall[] {
    return method ? this.#log.of(method) : this.#log.all();
  }

  /** Resolves as soon as a method has been called so many times in all, answered or not. */
  called(method: Method, times = 1, ms = 20_000): Promise<void> {
    return this.until(`${times} calls of ${method}`, () => this.#log.of(method).length >= times, ms);
  }

  /** Resolves when a condition on the calls holds. */
  until(what: string, condition: () => boolean, ms = 20_000): Promise<void> {
    return this.#log.until(what, condition, ms);
  }

  /** Pairs of calls that changed one volume, snapshot or group while both clients waited. */
  overlaps(): [DriverCall, DriverCall][] {
    return overlapping(this.#log.all());
  }

  /** Appends to the script of a method. */
  script<M extends Method>(method: M, ...steps: Step<M>[]): void {
    this.#steps.set(method, [...(this.#steps.get(method) ?? []), ...steps]);
  }

  /** The step of every call that the script does not cover; `step.act` resets it. */
  always<M extends Method>(method: M, step: Step<M>): void {
    this.#always.set(method, step);
  }

  /** Injects random faults into calls that no script covers; without faults it stops. */
  injectFaults(faults?: RandomFaults): void {
    this.#fault = faults ? randomFaults(faults) : () => ({ kind: "act" });
  }

  /** Opens a gate for calls that wait, now or later, in `step.waitFor(gate)`. */
  release(gate: string): void {
    this.#gates.open(gate);
  }

  get running(): boolean {
    return this.#running;
  }

  async start(): Promise<void> {
    if (this.#running || this.#disposed) return;
    this.#running = true;
    this.#life = new AbortController();
    await Promise.all(this.#listeners.map((listener) => listener.start()));
  }

  /** Ends as on SIGTERM: calls in flight are answered, the socket is removed. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#listeners.map((listener) => listener.stop()));
  }

  /** Ends as on SIGKILL: calls in flight are never answered, the socket stays and nobody listens. */
  async kill(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    const killed = Promise.all(this.#listeners.map((listener) => listener.kill()));
    this.#life.abort();
    await killed;
  }

  /** Stops and starts; the socket becomes another file. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.kill();
    for (const { address } of this.#listeners) await rm(address, { force: true });
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }

  async #serve<M extends Method>(
    method: M,
    request: Request<M>,
    { signal, abandon }: HandlerContext,
    caller: string | undefined,
  ): Promise<object> {
    const { clock } = this.settings;
    const life = this.#life;
    const { call: begun, ...call } = this.#log.begin(method, request, clock.monotonic(), caller);
    signal.addEventListener("abort", () => call.clientGone(clock.monotonic()), { once: true });
    const step = this.#steps.get(method)?.shift() ?? this.#always.get(method) ?? this.#fault(method);
    try {
      if (this.settings.locksVolumes) this.#checkLock(begun);
      const outcome = await runStep(step, {
        request,
        clock,
        client: signal,
        life: life.signal,
        carryOut: () => {
          checkCapability(method, this.settings.capabilities);
          return this.#behaviour[method](request as never);
        },
        gate: (name) => this.#gates.passed(name),
        abandon,
        crash: async (backAfterMs) => {
          await this.kill();
          if (backAfterMs !== undefined) clock.after(backAfterMs, () => void this.start());
        },
      });
      call.end(clock.monotonic(), outcome);
      if (outcome.kind === "answered") return outcome.response;
    } catch (error) {
      const code = error instanceof GrpcError ? error.code : 2;
      const message = error instanceof GrpcError ? error.details : String(error);
      call.end(clock.monotonic(), { kind: "failed", code: codeName(code), message });
      throw error;
    }
    // The deadline of a call that hung may pass here before the client notices: it must not take the end of the call for an answer.
    signal.throwIfAborted();
    return {};
  }

  /** Throws if another call is changing the same volume. */
  #checkLock(call: DriverCall): void {
    const volume = this.#lockOf(call);
    const pending = [...this.#log.open].find((other) => other !== call && this.#lockOf(other) === volume);
    if (volume !== undefined && pending) throw new GrpcError(Code.Aborted, `${pending.method} is pending for volume ${volume}`);
  }

  /** The name of the volume that a call changes. */
  #lockOf(call: DriverCall): string | undefined {
    const volume = changesSomething(call.method) ? volumeOf(call) : undefined;
    const known = volume !== undefined && this.volumes.get(volume);
    return known ? `name ${known.name}` : volume;
  }
}
