import type { Clock } from "@csi-sidecars/base";
import { stoppedCall } from "../call-deadline.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { runMethod } from "../powershell/run-operation.ts";
import { queryDependents, queryService } from "./service-record.ts";
import { stopOrder } from "./stop-order.ts";

const pollMs = 200;
const patienceMs = 30_000;

/** Return values of Win32_Service's methods. */
const dependentsRunning = 3;
const notAcceptedNow = 5;
const alreadyRunning = 10;

/** Starts and stops services of the node, and waits until they have. */
export class ServiceControl {
  readonly #executor: Executor;
  readonly #clock: Clock;

  constructor(executor: Executor, clock: Clock) {
    this.#executor = executor;
    this.#clock = clock;
  }

  async start(name: string, options?: OperationOptions): Promise<void> {
    if ((await this.#state(name, options)) === "Running") return;
    const method = { class: "Win32_Service", method: "StartService", target: name, tolerated: [alreadyRunning] };
    const started = runMethod(this.#executor, "system.startService", { ServiceName: name }, method, options);
    await inContext(`failed to start service ${name}: `, started);
    await this.#waitFor("Running", name, `timed out waiting for service ${name} to become running`, options);
  }

  async stop(name: string, force: boolean, options?: OperationOptions): Promise<void> {
    if ((await this.#state(name, options)) === "Stopped") return;
    const tolerated = force ? [notAcceptedNow, dependentsRunning] : [notAcceptedNow];
    const code = await this.#callStop(name, tolerated, options);
    if (code !== dependentsRunning) return this.#waitUntilStopped(name, options);
    for (const service of await stopOrder(name, (name) => this.#activeDependents(name, options))) {
      await this.#callStop(service, [notAcceptedNow], options);
      await this.#waitUntilStopped(service, options);
    }
  }

  #callStop(name: string, tolerated: readonly number[], options?: OperationOptions): Promise<number> {
    const method = { class: "Win32_Service", method: "StopService", target: name, tolerated };
    const stopped = runMethod(this.#executor, "system.stopService", { ServiceName: name }, method, options);
    return inContext(`failed to stop service ${name}: `, stopped);
  }

  #waitUntilStopped(name: string, options?: OperationOptions): Promise<void> {
    return this.#waitFor("Stopped", name, `timed out waiting for service ${name} to stop`, options);
  }

  async #waitFor(wanted: string, name: string, timeout: string, options?: OperationOptions): Promise<void> {
    const began = this.#clock.monotonic();
    for (;;) {
      const state = await this.#state(name, options);
      if (state === wanted) return;
      if (this.#clock.monotonic() - began >= patienceMs)
        throw new CsiProxyError("DeadlineExceeded", timeout, { cause: new Error(`the last state of the service was "${state}"`) });
      await this.#clock.sleep(pollMs, options?.signal).catch((reason) => {
        throw stoppedCall(`waiting for service ${name}`, reason);
      });
    }
  }

  /** A dependent that is paused, or about to stop, holds the service as well as one that runs. */
  async #activeDependents(name: string, options?: OperationOptions): Promise<readonly string[]> {
    const active: string[] = [];
    for (const dependent of await queryDependents(this.#executor, name, options))
      if (await this.#isActive(dependent, options)) active.push(dependent);
    return active;
  }

  async #isActive(name: string, options?: OperationOptions): Promise<boolean> {
    try {
      return (await this.#state(name, options)) !== "Stopped";
    } catch (error) {
      // Removed meanwhile, or a kernel driver, which is not a service: nothing that could be stopped here.
      if (error instanceof CsiProxyError && error.code === "NotFound") return false;
      throw error;
    }
  }

  async #state(name: string, options?: OperationOptions): Promise<string> {
    return (await queryService(this.#executor, name, options)).state;
  }
}
