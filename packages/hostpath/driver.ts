import { type Logger, messageOf, silentLogger } from "@csi-sidecars/base";
import {
  ControllerDefinition,
  GroupControllerDefinition,
  GrpcServer,
  IdentityDefinition,
  type ListenAddress,
  NodeDefinition,
  SnapshotMetadataDefinition,
  type Target,
} from "@csi-sidecars/csi";
import type { Backend } from "./backend.ts";
import { CallLog } from "./calls/call-log.ts";
import { type CallInterceptor, interceptCalls } from "./calls/interceptor.ts";
import { type DriverReport, reportOf } from "./calls/report.ts";
import { serveControl } from "./control/control-server.ts";
import { controllerService, groupControllerService } from "./controller/controller-service.ts";
import { BackgroundWork } from "./faults/background-work.ts";
import { FaultRules } from "./faults/fault-rules.ts";
import { HeldCalls } from "./faults/held-calls.ts";
import { RuleFile } from "./faults/rule-file.ts";
import { identityService } from "./identity-service.ts";
import { snapshotMetadataService } from "./metadata/snapshot-metadata.ts";
import { nodeService } from "./node/node-service.ts";
import { openBackend, settingsOf } from "./open-backend.ts";
import { parseEndpoint, parseSocket } from "./parse-values.ts";
import { type Script, scriptOf } from "./script/script.ts";
import type { HostpathOptions } from "./settings.ts";
import type { Checkpoint } from "./state/checkpoint.ts";
import { lockStateDirectory } from "./state/directory-lock.ts";

/**
 * Starts the driver and serves it until it is stopped.
 *
 * ```ts
 * await using driver = await startHostpathDriver({ nodeId: "node-1", endpoint: `${dir}/csi.sock`, stateDir: `${dir}/state` });
 * driver.rules.add({ method: "CreateVolume", times: 1, action: { error: { code: "ResourceExhausted" } } });
 * ```
 */
export async function startHostpathDriver(options: HostpathOptions): Promise<HostpathDriver> {
  const settings = settingsOf(options);
  const address = parseEndpoint(settings.endpoint);
  const unlock = settings.backend === "disk" ? await lockStateDirectory(settings.stateDir) : async () => {};
  const { backend, change } = await openBackend(settings, options).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  const driver = new HostpathDriver(backend, scriptOf(backend, change), options, unlock);
  try {
    await driver.start(address);
    return driver;
  } catch (error) {
    await driver.kill();
    throw error;
  }
}

/** Names the flag of a socket that cannot be opened. */
const blame = (flag: string) => (error: unknown) => {
  throw new Error(`${flag}: ${messageOf(error)}. The directory of the socket must exist, and no other process may listen there.`, {
    cause: error,
  });
};

/** A running driver, with what tests can read and change. */
export class HostpathDriver {
  readonly script: Script;
  readonly rules: FaultRules;
  readonly calls: CallLog;
  readonly held = new HeldCalls();
  readonly #backend: Backend;
  readonly #log: Logger;
  readonly #interceptor: CallInterceptor;
  readonly #unlock: () => Promise<void>;
  readonly #exit: ((code: number) => void) | undefined;
  #server: GrpcServer | undefined;
  #control: { close(): Promise<void> } | undefined;
  #target: Target | undefined;
  #ended = false;

  /** Use {@link startHostpathDriver}. */
  constructor(backend: Backend, script: Script, options: HostpathOptions, unlock: () => Promise<void>) {
    const { settings, clock, log } = backend;
    this.#backend = backend;
    this.#log = options.log ?? silentLogger;
    this.#unlock = unlock;
    this.#exit = options.exit;
    this.script = script;
    const { recordSecrets, callLogFile: file } = settings;
    this.calls = new CallLog({ clock, log, history: options.callHistory, recordSecrets, file });
    this.rules = new FaultRules(backend.conditions);
    this.rules.set(options.faults ?? []);
    this.#interceptor = {
      backend,
      calls: this.calls,
      rules: this.rules,
      ruleFile: settings.faultsFile ? new RuleFile(settings.faultsFile, this.rules, log) : undefined,
      held: this.held,
      background: new BackgroundWork(clock, log),
      clock,
      log,
      crash: (code) => this.crash(code),
    };
  }

  /** The address it listens on. */
  get target(): Target {
    if (!this.#target) throw new Error("the driver does not listen yet");
    return this.#target;
  }

  /** All volumes, snapshots and groups. */
  get state(): Checkpoint {
    return this.#backend.state.everything();
  }

  /** How volumes are published. */
  get mountMode() {
    return this.#backend.mounter.mode;
  }

  /** Statistics of the calls so far, and what they left behind. */
  report(): DriverReport {
    return reportOf(this.#backend.state, this.calls.counter);
  }

  /** Serves; called once by {@link startHostpathDriver}. */
  async start(address: ListenAddress): Promise<void> {
    const { controlEndpoint, endpoint, nodeId, driverName } = this.#backend.settings;
    await this.#interceptor.ruleFile?.load();
    if (controlEndpoint) {
      const served = async () => serveControl(parseSocket(controlEndpoint), this);
      this.#control = await served().catch(blame(`--control-endpoint ${controlEndpoint}`));
    }
    await this.#serve(address).catch(blame(`--endpoint ${endpoint}`));
    this.#log.info("Listening for connections", { address: this.#target, driver: driverName, node: nodeId });
  }

  /** Stops accepting, finishes the calls in flight, writes a checkpoint. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.held.close();
    await this.#server?.shutdown();
    await this.#control?.close();
    await this.#interceptor.background.settled();
    await this.#backend.state.close().finally(() => this.#unlock());
  }

  /** Stops as a crash would: connections break, no checkpoint is written. */
  async kill(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#server?.kill();
    await this.#control?.close();
    await this.#backend.state.abandon();
    await this.#unlock();
  }

  /** Ends the process at once, or only the driver where no `exit` was given. */
  crash(code: number): void {
    this.#exit?.(code);
    this.kill().catch((error: unknown) => this.#log.error(error, "Cannot stop after a crash"));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #serve(address: ListenAddress): Promise<void> {
    const backend = this.#backend;
    const server = new GrpcServer({ log: this.#log });
    server.serve(IdentityDefinition, interceptCalls(this.#interceptor, IdentityDefinition, identityService(backend)));
    server.serve(ControllerDefinition, interceptCalls(this.#interceptor, ControllerDefinition, controllerService(backend)));
    server.serve(GroupControllerDefinition, interceptCalls(this.#interceptor, GroupControllerDefinition, groupControllerService(backend)));
    server.serve(NodeDefinition, interceptCalls(this.#interceptor, NodeDefinition, nodeService(backend)));
    server.serve(
      SnapshotMetadataDefinition,
      interceptCalls(this.#interceptor, SnapshotMetadataDefinition, snapshotMetadataService(backend)),
    );
    this.#server = server;
    this.#target = await server.listen(address);
  }
}
