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
