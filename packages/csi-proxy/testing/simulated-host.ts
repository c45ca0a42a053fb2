import { ownValue } from "@csi-sidecars/base";
import { stoppedCall } from "../call-deadline.ts";
import { acceptOperation } from "../powershell/accept-operation.ts";
import type { OperationId } from "../powershell/catalogue.ts";
import type { Envelope, Executor, OperationOptions, OperationParameters, ScriptError } from "../powershell/executor.ts";
import type { RecordedCall } from "../powershell/recorded-executor.ts";
import { SimulatedDisks } from "./simulated-disks.ts";
import { type SimulatedOperation, type SimulatedPart, SimulatedScriptError } from "./simulated-part.ts";
import { MemoryPaths, type SimulatedPaths } from "./simulated-paths.ts";
import { SimulatedReparsePoints } from "./simulated-reparse-points.ts";
import { SimulatedServices } from "./simulated-services.ts";
import { SimulatedShares } from "./simulated-shares.ts";
import { SimulatedTargets } from "./simulated-targets.ts";
import { SimulatedVolumes } from "./simulated-volumes.ts";

export interface SimulatedHostOptions {
  /** Files and directories; in memory unless given. */
  readonly paths?: SimulatedPaths;
  /** Parts of one's own; their operations replace those that are there. */
  readonly parts?: readonly SimulatedPart[];
}

/**
 * A simulated host: disks, volumes, mount points, services, SMB shares and iSCSI targets in memory, behind the interface through which
 * handlers reach Windows. It lets a driver's sequences run anywhere; it is no Windows, and nothing that passes on it has run a script.
 *
 * ```ts
 * const host = new SimulatedHost();
 * const { number } = host.disks.attach({ size: 10n * 2n ** 30n });
 * await new Disk(windowsDiskHostApi(host)).partitionDisk({ diskNumber: number });
 * ```
 */
export class SimulatedHost implements Executor {
  readonly calls: RecordedCall[] = [];
  readonly disks = new SimulatedDisks();
  readonly reparsePoints: SimulatedReparsePoints;
  readonly volumes: SimulatedVolumes;
  readonly services = new SimulatedServices();
  readonly shares = new SimulatedShares();
  readonly targets = new SimulatedTargets(this.disks);
  readonly #operations: Readonly<Record<string, SimulatedOperation>>;
  readonly #failures = new Map<OperationId, (ScriptError | Error)[]>();

  constructor({ paths = new MemoryPaths(), parts = [] }: SimulatedHostOptions = {}) {
    this.reparsePoints = new SimulatedReparsePoints(paths, this.shares);
    this.volumes = new SimulatedVolumes(this.disks, this.reparsePoints);
    const own = [this.disks, this.volumes, this.reparsePoints, this.services, this.shares, this.targets];
    const all: readonly SimulatedPart[] = [...own, ...parts];
    this.#operations = Object.assign({}, ...all.map(({ operations }) => operations));
  }

  /** Lets the next call of an operation fail: as its script would, or, with an `Error`, without an answer. */
  failNext(op: OperationId, failure: ScriptError | Error): void {
    this.#failures.set(op, [...(this.#failures.get(op) ?? []), failure]);
  }

  async run(op: string, params: OperationParameters, { signal }: OperationOptions = {}): Promise<Envelope> {
    acceptOperation(op, params);
    if (signal?.aborted) throw stoppedCall(op, signal.reason);
    this.calls.push({ op, params });
    const failure = this.#failures.get(op as OperationId)?.shift();
    if (failure instanceof Error) throw failure;
    if (failure) return { ok: false, error: failure };
    const operation = ownValue(this.#operations, op);
    if (!operation) throw new Error(`the simulated host has no ${op}`);
    try {
      // As over a pipe: what JSON cannot carry does not arrive.
      return { ok: true, data: JSON.parse(JSON.stringify(operation(params) ?? null)) };
    } catch (error) {
      if (error instanceof SimulatedScriptError) return { ok: false, error: error.scriptError };
      throw error;
    }
  }

  /** The operations so far, without parameters. */
  get operations(): readonly string[] {
    return this.calls.map(({ op }) => op);
  }

  async close(): Promise<void> {}
}
