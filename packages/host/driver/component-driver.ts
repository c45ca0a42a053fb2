import type { Logger } from "@csi-sidecars/base";
import type { Driver } from "../component.ts";
import type { ComponentScope } from "../supervisor/component-scope.ts";
import { driverFacade, isHarmless } from "./driver-facade.ts";
import type { DriverSession } from "./driver-session.ts";
import { callNotLeading } from "./refusal.ts";

export interface ComponentDriverOptions {
  readonly session: DriverSession;
  readonly scope: ComponentScope;
  /** The component's: its calls are logged under its name. */
  readonly log: Logger;
  /** Whether calls that change something may be made. */
  readonly mayAct: () => boolean;
}

/** The driver as one component sees it. */
export function componentDriver({ session, scope, log, mayAct }: ComponentDriverOptions): Driver {
  const watched =
    <A extends readonly unknown[], T>(read: (...args: A) => Promise<T>) =>
    (...args: A) =>
      scope.watch(read(...args));
  return {
    address: session.address,
    operations: session.operations,
    get name() {
      return session.name;
    },
    client: driverFacade({
      options(method, given) {
        if (!isHarmless(method) && !mayAct()) throw callNotLeading(method);
        return { log, ...given };
      },
      client: (call) => session.connected(call),
      watch: (answer) => scope.watch(answer),
    }),
    capabilities: {
      plugin: watched(session.capabilities.plugin),
      controller: watched(session.capabilities.controller),
      groupController: watched(session.capabilities.groupController),
      node: watched(session.capabilities.node),
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
    client: driverFacade({ options: (_, given) => given, client: refuse, watch: (answer) => answer }),
    capabilities: { plugin: refuse, controller: refuse, groupController: refuse, node: refuse },
  };
}
