import { ControllerDefinition, GroupControllerDefinition, IdentityDefinition, NodeDefinition } from "@csi-sidecars/csi";

/** The services that the scripted driver serves. */
export const services = [IdentityDefinition, ControllerDefinition, GroupControllerDefinition, NodeDefinition] as const;

type Definitions = IdentityDefinition["methods"] &
  ControllerDefinition["methods"] &
  GroupControllerDefinition["methods"] &
  NodeDefinition["methods"];

type Requests = { readonly [K in keyof Definitions as Capitalize<K>]: ReturnType<Definitions[K]["requestType"]["decode"]> };
type Answers = { readonly [K in keyof Definitions as Capitalize<K>]: Parameters<Definitions[K]["responseType"]["fromPartial"]>[0] };

/** A method by the name the CSI specification gives it: `ControllerPublishVolume`. */
export type Method = keyof Requests;

/** The request of a method, decoded. */
export type Request<M extends Method> = Requests[M];

/** The response of a method; fields with defaults can be left out. */
export type Answer<M extends Method> = Answers[M];

/** An implementation of every method. */
export type Behaviour = { readonly [M in Method]: (request: Request<M>) => Answer<M> };

/** Methods that change nothing. */
const reading = /^(Get|List|Probe|Validate|ControllerGet|GroupControllerGet|NodeGet)/;

/** Whether a method changes something. */
export function changesSomething(method: Method): boolean {
  return !reading.test(method);
}
