import type { RequestOf, ResponseOf, ServiceDefinition } from "./definition.ts";
import type { Metadata } from "./exchange.ts";

/** The connection that a call came by. */
export interface ClientConnection {
  /** Counts the server's connections from 1: calls with the same number share one. */
  readonly number: number;
  /** Breaks it, with every call on it, as a lost network would. */
  destroy(): void;
}

/** What a handler knows of the call beyond its request. */
export interface HandlerContext {
  /** `/csi.v1.Controller/CreateVolume` */
  readonly path: string;
  readonly metadata: Metadata;
  /** Aborts when the client's deadline passes, when it cancels or goes away, and when the server is killed. */
  readonly signal: AbortSignal;
  /** How long the client waits, as it said when it called; undefined when it set no deadline. */
  readonly timeoutMs: number | undefined;
  readonly connection: ClientConnection;
  /** Ends the call without an answer: to this call it looks as if the server had died. Whatever the handler gives later is dropped. */
  abandon(): void;
}

/**
 * The methods a server implements; those left out answer Unimplemented. A thrown `GrpcError` becomes its status, anything else
 * Unknown with its message.
 */
export type ServiceHandlers<S extends ServiceDefinition> = {
  readonly [K in keyof S["methods"]]?: S["methods"][K] extends { readonly responseStream: true }
    ? (request: RequestOf<S["methods"][K]>, context: HandlerContext) => AsyncIterable<HandlerAnswer<S["methods"][K]>>
    : (
        request: RequestOf<S["methods"][K]>,
        context: HandlerContext,
      ) => HandlerAnswer<S["methods"][K]> | Promise<HandlerAnswer<S["methods"][K]>>;
};

/** What a handler may answer: fields with defaults can be left out where the codec fills them in. */
export type HandlerAnswer<M> = M extends { readonly responseType: { fromPartial(message: infer P): unknown } } ? P : ResponseOf<M>;
