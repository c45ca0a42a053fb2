import type { DriverClient } from "@csi-sidecars/csi";
import type { Client } from "@csi-sidecars/kube";
import { connectionReset, interceptedClient } from "../program/intercepted-client.ts";

/** Cuts a process inside the test off from the API server and the driver, as if it had been killed. */
export class KillSwitch {
  #dead = false;

  get dead(): boolean {
    return this.#dead;
  }

  kill(): void {
    this.#dead = true;
  }

  /** A client whose requests fail once the process is killed, also those that are in flight then. */
  client(client: Client): Client {
    return interceptedClient(client, async (_verb, _resource, send) => {
      this.#checkAlive();
      const answer = await send();
      this.#checkAlive();
      return answer;
    });
  }

  /** A driver whose calls fail once the process is killed, also those that are in flight then. */
  driver(driver: DriverClient): DriverClient {
    const services = Object.entries(driver).map(([service, methods]) => {
      const calls = Object.entries<(...args: never[]) => unknown>(methods).map(([name, call]) => {
        const guarded = (...args: never[]) => {
          this.#checkAlive();
          const answer = call(...args);
          return answer instanceof Promise ? this.#answered(answer) : answer;
        };
        return [name, guarded] as const;
      });
      return [service, Object.fromEntries(calls)] as const;
    });
    return Object.fromEntries(services) as DriverClient;
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
    const value = await answer;
    this.#checkAlive();
    return value;
  }

  #checkAlive(): void {
    if (this.#dead) throw connectionReset();
  }
}
