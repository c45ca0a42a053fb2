import type { OperationParameters } from "../powershell/executor.ts";
import type { SimulatedPart } from "./simulated-part.ts";

/** The return values of the methods of Win32_Service. */
const returnValue = { accepted: 0, dependentsRunning: 3, notAccepted: 5, alreadyRunning: 10, notFound: 7 } as const;

export interface SimulatedService {
  readonly name: string;
  readonly displayName?: string;
  readonly startMode?: string;
  /** As Windows spells it: `Running`, `Stopped`, `Start Pending`. */
  readonly state?: string;
  /** The services that need this one. */
  readonly dependents?: readonly string[];
  /** How often the state is asked for before a start or a stop has come about; `Infinity` for a service that hangs. */
  readonly polls?: number;
}

/** The services of a simulated host, and its BIOS. */
export class SimulatedServices implements SimulatedPart {
  biosSerialNumber: string | null = "SIMULATED-0001";
  readonly #services = new Map<string, Required<SimulatedService> & { state: string; pending?: { state: string; polls: number } }>();

  add({ name, displayName = name, startMode = "Manual", state = "Stopped", dependents = [], polls = 1 }: SimulatedService): void {
    this.#services.set(name.toLowerCase(), { name, displayName, startMode, state, dependents, polls });
  }

  stateOf(name: string): string | undefined {
    return this.#services.get(name.toLowerCase())?.state;
  }

  readonly operations = {
    "system.bios": () => ({ serialNumber: this.biosSerialNumber }),
    "system.getService": ({ ServiceName = "" }: OperationParameters) => {
      const service = this.#services.get(ServiceName.toLowerCase());
      if (!service) return null;
      const { name, displayName, startMode, pending } = service;
      if (pending && --pending.polls < 0) {
        service.state = pending.state;
        delete service.pending;
      }
      return { name, displayName, state: service.state, startMode };
    },
    "system.startService": ({ ServiceName = "" }: OperationParameters) => {
      const service = this.#services.get(ServiceName.toLowerCase());
      if (!service) return { returnValue: returnValue.notFound };
      if (service.state === "Running") return { returnValue: returnValue.alreadyRunning };
      service.state = "Start Pending";
      service.pending = { state: "Running", polls: service.polls };
      return { returnValue: returnValue.accepted };
    },
    "system.stopService": ({ ServiceName = "" }: OperationParameters) => {
      const service = this.#services.get(ServiceName.toLowerCase());
      if (!service) return { returnValue: returnValue.notFound };
      if (service.dependents.some((name) => (this.stateOf(name) ?? "Stopped") !== "Stopped"))
        return { returnValue: returnValue.dependentsRunning };
      if (service.state === "Stopped" || service.pending) return { returnValue: returnValue.notAccepted };
      service.state = "Stop Pending";
      service.pending = { state: "Stopped", polls: service.polls };
      return { returnValue: returnValue.accepted };
    },
    "system.dependents": ({ ServiceName = "" }: OperationParameters) => this.#services.get(ServiceName.toLowerCase())?.dependents ?? [],
  };
}
