import { messageOf } from "@csi-sidecars/base";
import type { Channel } from "./channel.ts";
import type { CallOptions } from "./client-call.ts";
import { callServerStream, callUnary } from "./invoke.ts";
import {
  type MethodDefinition,
  methodPath,
  methodsOf,
  type RequestInput,
  type ResponseOf,
  type ServiceDefinition,
} from "./service-definition.ts";
import { Code, GrpcError } from "./status.ts";

/** A service's methods as functions: promises for unary methods, async iterables for streaming answers. */
export type ServiceClient<S extends ServiceDefinition, Options = CallOptions> = {
  readonly [K in keyof S["methods"]]: S["methods"][K] extends { readonly responseStream: true }
    ? (request: RequestInput<S["methods"][K]>, options?: Options) => AsyncIterable<ResponseOf<S["methods"][K]>>
    : (request: RequestInput<S["methods"][K]>, options?: Options) => Promise<ResponseOf<S["methods"][K]>>;
};

/** One unary call with its messages decoded: what interceptors see. */
export type UnaryInvoker<Options = CallOptions> = (call: Invocation, options: Options) => Promise<object>;

/** What is called, and with what. */
export interface Invocation {
  /** `/csi.v1.Controller/CreateVolume` */
  readonly path: string;
  readonly method: MethodDefinition<object, object>;
  readonly request: object;
}

/** Wraps every unary call: logging, metrics. The first in a list is the outermost. */
export type Interceptor<Options = CallOptions> = (next: UnaryInvoker<Options>) => UnaryInvoker<Options>;

/** Gets the error of every call, unary or streaming, before anyone else; what it returns is thrown. */
export type ErrorFilter = (error: GrpcError, call: Invocation) => GrpcError;

/**
 * The client of a service on a channel.
 *
 * ```ts
 * const identity = serviceClient(IdentityDefinition, channel);
 * const { name } = await identity.getPluginInfo({}, { timeoutMs: 1_000 });
 * ```
 */
export function serviceClient<S extends ServiceDefinition, Options extends CallOptions = CallOptions>(
  service: S,
  channel: Channel,
  interceptors: readonly Interceptor<Options>[] = [],
  filterError: ErrorFilter = (error) => error,
): ServiceClient<S, Options> {
  const filtered = (error: unknown, call: Invocation) => (error instanceof GrpcError ? filterError(error, call) : error);
  const send: UnaryInvoker<Options> = async (call, options) => {
    const { path, method, request } = call;
    try {
      return decode(method, await callUnary(channel, path, method.requestType.encode(request).finish(), options));
    } catch (error) {
      throw filtered(error, call);
    }
  };
  const invoke = interceptors.reduceRight((next, interceptor) => interceptor(next), send);

  const methods = methodsOf(service).map(([key, method]) => {
    const path = methodPath(service, method);
    const complete = (input: object) => method.requestType.fromPartial?.(input) ?? input;
    if (!method.responseStream) {
      return [key, async (input: object, options: Options) => invoke({ path, method, request: complete(input) }, options ?? {})] as const;
    }
    return [
      key,
      async function* (input: object, options?: Options) {
        const call = { path, method, request: complete(input) };
        const request = method.requestType.encode(call.request).finish();
        try {
          for await (const bytes of callServerStream(channel, path, request, options)) yield decode(method, bytes);
        } catch (error) {
          throw filtered(error, call);
        }
      },
    ] as const;
  });
  return Object.fromEntries(methods) as ServiceClient<S, Options>;
}

function decode(method: MethodDefinition<object, object>, bytes: Uint8Array): object {
  try {
    return method.responseType.decode(bytes);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new GrpcError(Code.Internal, `grpc: failed to unmarshal the received message: ${reason}`, { origin: "transport", cause });
  }
}
