import { GrpcError, type HandlerContext, type ServiceDefinition, type ServiceHandlers } from "@csi-sidecars/csi";
import type { ApiGroupName } from "./api-groups.ts";
import { type AnyMethod, implementService } from "./implement-service.ts";
import type { CsiProxyHandlers } from "./library.ts";
import { type SandboxOptions, sandboxed } from "./sandbox.ts";

/** One group in one version, ready to be served: `server.serve(definition, handlers)`. */
export interface ServedVersion {
  readonly definition: ServiceDefinition;
  readonly handlers: ServiceHandlers<ServiceDefinition>;
}

/**
 * The service of a group and version over the handlers of the library, which clients may use inside the sandbox only. Whatever fails is
 * status Unknown with the text of the error, as csi-proxy's clients know it; a client that gave up gets Canceled or DeadlineExceeded.
 */
export function serviceFor(group: ApiGroupName, version: string, proxy: CsiProxyHandlers, options: SandboxOptions): ServedVersion {
  const { definition, methods } = implementService(group, version, sandboxed(proxy, options));
  const handlers = Object.entries(methods).map(([key, method]) => [key, handlerOf(method)] as const);
  return { definition, handlers: Object.fromEntries(handlers) };
}

function handlerOf(method: AnyMethod) {
  return async (request: object, { signal }: HandlerContext): Promise<object> => {
    try {
      return await method(request, { signal });
    } catch (error) {
      throw signal.aborted && signal.reason instanceof GrpcError ? signal.reason : error;
    }
  };
}
