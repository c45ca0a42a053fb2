import { type Logger, ownValue, type Permit } from "@csi-sidecars/base";
import { alwaysAvailable, type DriverCallOptions, type DriverClient, driverServices, VolumeLists } from "@csi-sidecars/csi";
import type { Driver, DriverNeed } from "../component.ts";
import { guardedCall } from "../leadership/write-guard.ts";
import type { ComponentScope } from "../supervisor/component-run.ts";
import type { DriverSession } from "./driver-session.ts";

export interface ComponentDriverOptions {
  readonly session: DriverSession;
  /** Those that need a ready driver wait for one that is away; the calls of others fail at once. */
  readonly need: DriverNeed;
  /** Ends the waiting for a driver that is away. */
  readonly ends: AbortSignal;
  readonly scope: ComponentScope;
  /** The component's: its calls are logged under its name. */
  readonly log: Logger;
  /** For calls that change something. */
  readonly permit: Permit;
}

/** The driver as one component sees it. */
export function componentDriver({ session, need, ends, scope, log, permit }: ComponentDriverOptions): Driver {
  const capabilities = session.calls.capabilities(ends);
  const watched =
    <A extends readonly unknown[], T>(read: (...args: A) => Promise<T>) =>
    (...args: A) =>
      scope.watch(read(...args));
  return {
    address: session.address,
    operations: session.operations,
    availability: session.calls.availability,
    volumeLists: session.volumeLists,
    get name() {
      return session.name;
    },
    client: driverFacade({
      options: (method, given) => guardedCall(method, permit, { log, ...given }),
      client: (call) => (need === "ready" ? session.calls.available(call, ends) : session.calls.connected(call)),
      watch: (answer) => scope.watch(answer),
    }),
    capabilities: {
      plugin: watched(capabilities.plugin),
      controller: watched(capabilities.controller),
      groupController: watched(capabilities.groupController),
      node: watched(capabilities.node),
    },
  };
}

/** What a component sees in a process that has no driver. */
export function noDriver(component: string): Driver {
  const refuse = async (): Promise<never> => {
    throw new Error(`${component} declares that it has no driver, but calls one`);
  };
  return {
    address: "",
    name: "unknown-driver",
    availability: alwaysAvailable,
    volumeLists: new VolumeLists(alwaysAvailable),
    client: driverFacade({ options: (_, given) => given, client: refuse, watch: (answer) => answer }),
    capabilities: { plugin: refuse, controller: refuse, groupController: refuse, node: refuse },
  };
}

/** What is done before each call. */
interface BeforeCall {
  /** The options to call with; throwing refuses the call. */
  options(method: string, given: DriverCallOptions): DriverCallOptions;
  /** The client to call, as soon as there is one. */
  client(options: DriverCallOptions): Promise<DriverClient>;
  /** Follows the answer of a unary call. */
  watch<T>(answer: Promise<T>): Promise<T>;
}

/** All methods of a driver, each going through `before`. */
function driverFacade(before: BeforeCall): DriverClient {
  const facades = Object.entries(driverServices).map(([service, { methods }]) => {
    const calls = Object.entries(methods).map(([key, method]) => {
      const find = async (given: DriverCallOptions) => methodOf(await before.client(given), service, key);
      const unary = async (request: object, given: DriverCallOptions = {}) => {
        const options = before.options(key, given);
        const call = await find(options);
        return call(request, options);
      };
      if (!method.responseStream) {
        return [key, (request: object, given?: DriverCallOptions) => before.watch(unary(request, given))] as const;
      }
      const stream = async function* (request: object, given: DriverCallOptions = {}) {
        const options = before.options(key, given);
        const call = await find(options);
        yield* call(request, options) as AsyncIterable<object>;
      };
      return [key, stream] as const;
    });
    return [service, Object.fromEntries(calls)] as const;
  });
  return Object.fromEntries(facades) as DriverClient;
}

type Method = (request: object, options: DriverCallOptions) => unknown;

function methodOf(client: DriverClient, service: string, key: string): Method {
  const methods: Readonly<Record<string, Readonly<Record<string, unknown>>>> = client;
  return ownValue(ownValue(methods, service), key) as Method;
}
