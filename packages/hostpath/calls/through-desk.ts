import type { HandlerContext, ServiceDefinition, ServiceHandlers } from "@csi-sidecars/csi";
import { type Call, type Desk, performStream, performUnary } from "./perform-call.ts";

type AnyHandler = (request: object, context: HandlerContext) => unknown;

/** The handlers of a service such that each call passes the desk. */
export function throughDesk<S extends ServiceDefinition>(desk: Desk, service: S, handlers: ServiceHandlers<S>): ServiceHandlers<S> {
  const byKey = handlers as Readonly<Record<string, AnyHandler | undefined>>;
  const wrapped = Object.entries(service.methods).flatMap(([key, method]) => {
    const handler = byKey[key];
    if (!handler) return [];
    const callOf = (request: object, context: HandlerContext): Call => ({
      name: method.name,
      requestType: method.requestType.$type ?? "",
      responseType: method.responseType.$type ?? "",
      request,
      context,
    });
    const unary: AnyHandler = (request, context) => performUnary(desk, callOf(request, context), () => handler(request, context));
    const stream: AnyHandler = (request, context) =>
      performStream(desk, callOf(request, context), () => handler(request, context) as AsyncIterable<object>);
    return [[key, method.responseStream ? stream : unary] as const];
  });
  return Object.assign({}, handlers, Object.fromEntries(wrapped));
}
