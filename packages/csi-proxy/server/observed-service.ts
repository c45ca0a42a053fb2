import { type Clock, ownValue } from "@csi-sidecars/base";
import { codeName, GrpcError, type HandlerContext, type ServiceDefinition, type ServiceHandlers } from "@csi-sidecars/csi";
import type { ServedVersion } from "./service-for.ts";

/** A call that a handler has answered. */
export interface HandledCall {
  /** `v1.Disk` */
  readonly service: string;
  /** `GetDiskStats` */
  readonly method: string;
  /** The gRPC code by its name: `OK`, `Unknown`. */
  readonly code: string;
  readonly durationMs: number;
}

/** Told of every call that reaches a handler; one that is unknown, too large or malformed does not. */
export interface CallObserver {
  started?(service: string, method: string): void;
  handled(call: HandledCall): void;
}

type Handler = (request: object, context: HandlerContext) => Promise<object>;

/** The same service, whose calls the observers are told of. */
export function observedService({ definition, handlers }: ServedVersion, observers: readonly CallObserver[], clock: Clock): ServedVersion {
  const service = definition.fullName;
  const observed = Object.entries(definition.methods).flatMap(([key, { name: method }]) => {
    const handler = ownValue(handlers as Readonly<Record<string, Handler>>, key);
    if (!handler) return [];
    const observe: Handler = async (request, context) => {
      const began = clock.monotonic();
      const tell = (code: string) => {
        const call = { service, method, code, durationMs: clock.monotonic() - began };
        for (const observer of observers) observer.handled(call);
      };
      for (const observer of observers) observer.started?.(service, method);
      try {
        const answer = await handler(request, context);
        tell("OK");
        return answer;
      } catch (error) {
        tell(error instanceof GrpcError ? codeName(error.code) : "Unknown");
        throw error;
      }
    };
    return [[key, observe] as const];
  });
  return { definition, handlers: Object.fromEntries(observed) as ServiceHandlers<ServiceDefinition> };
}
