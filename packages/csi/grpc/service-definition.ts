import type { Metadata } from "./headers.ts";

/** How one message type is written and read; the shape of generated protobuf code. */
export interface Codec<T> {
  /** The message's full name, for those who render it. */
  readonly $type?: string;
  encode(message: T): { finish(): Uint8Array };
  decode(input: Uint8Array): T;
  /** Fills in the defaults of fields that are not given. */
  fromPartial?(message: object): T;
}

/** One method of a service, as generated. */
export interface MethodDefinition<Request, Response> {
  readonly name: string;
  readonly requestType: Codec<Request>;
  readonly requestStream: boolean;
  readonly responseType: Codec<Response>;
  readonly responseStream: boolean;
}

/** A generated service definition: all that clients and servers need to know of it. */
export interface ServiceDefinition {
  readonly fullName: string;
  // biome-ignore lint/suspicious/noExplicitAny: methods of every message type; each use infers the types again.
  readonly methods: Readonly<Record<string, MethodDefinition<any, any>>>;
}

/** The request message of a method. */
export type RequestOf<M> = M extends { readonly requestType: { decode(input: Uint8Array): infer T } } ? T : never;

/** What a caller may give as request: fields with defaults can be left out where the codec fills them in. */
export type RequestInput<M> = M extends { readonly requestType: { fromPartial(message: infer P): unknown } } ? P : RequestOf<M>;

/** The response message of a method. */
export type ResponseOf<M> = M extends { readonly responseType: { decode(input: Uint8Array): infer T } } ? T : never;

/** The `:path` a method is called by, which is also its name in logs and metrics. */
export function methodPath(service: ServiceDefinition, method: { readonly name: string }): string {
  return `/${service.fullName}/${method.name}`;
}

/** Every method of a definition with its key, its method typed as messages that are not known further. */
export function methodsOf(service: ServiceDefinition): [key: string, method: MethodDefinition<object, object>][] {
  return Object.entries(service.methods);
}

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
