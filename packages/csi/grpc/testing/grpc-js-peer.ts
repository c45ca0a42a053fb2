import {
  Client,
  credentials,
  type handleUnaryCall,
  type ServiceDefinition as JsDefinition,
  Server,
  ServerCredentials,
} from "@grpc/grpc-js";
import { type MethodDefinition, methodPath, methodsOf, type ServiceDefinition } from "../service-definition.ts";

/** Our generated definition in the form grpc-js wants. */
function jsDefinition(service: ServiceDefinition): JsDefinition {
  return Object.fromEntries(
    methodsOf(service).map(([key, method]) => [
      key,
      {
        path: methodPath(service, method),
        requestStream: method.requestStream,
        responseStream: method.responseStream,
        requestSerialize: (message: object) => Buffer.from(method.requestType.encode(message).finish()),
        requestDeserialize: (bytes: Buffer) => method.requestType.decode(bytes),
        responseSerialize: (message: object) => Buffer.from(method.responseType.encode(message).finish()),
        responseDeserialize: (bytes: Buffer) => method.responseType.decode(bytes),
      },
    ]),
  );
}

/** A grpc-js server on a unix socket. */
export async function grpcJsServer(
  path: string,
  service: ServiceDefinition,
  handlers: Readonly<Record<string, unknown>>,
): Promise<Server & AsyncDisposable> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(jsDefinition(service), handlers as Record<string, handleUnaryCall<object, object>>);
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
  return Object.assign(server, { [Symbol.asyncDispose]: async () => server.forceShutdown() });
}

/** A grpc-js client of one service on a unix socket. */
export function grpcJsClient(path: string, service: ServiceDefinition): GrpcJsClient {
  const client = new Client(`unix:${path}`, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  const method = (key: string): MethodDefinition<object, object> => service.methods[key]!;
  return {
    call(key, request, options = {}) {
      const m = method(key);
      const serialize = (message: object) => Buffer.from(m.requestType.encode(m.requestType.fromPartial?.(message) ?? message).finish());
      let cancel = () => {};
      const answer = new Promise<object>((resolve, reject) => {
        const call = client.makeUnaryRequest(
          methodPath(service, m),
          serialize,
          (b: Buffer) => m.responseType.decode(b),
          request,
          options,
          (error, value) => (error ? reject(error) : resolve(value!)),
        );
        cancel = () => call.cancel();
      });
      return Object.assign(answer, { cancel });
    },
    [Symbol.dispose]: () => client.close(),
  };
}

export interface GrpcJsClient extends Disposable {
  call(key: string, request: object, options?: { readonly deadline?: number }): Promise<object> & { cancel(): void };
}
