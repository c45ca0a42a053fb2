import { Code, type CodeName } from "@csi-sidecars/csi";
import type { Answer, Method, Request } from "./methods.ts";

/** A step that is the same for every method. `effect`: whether the storage changes all the same. */
type PlainStep =
  | { readonly kind: "act" }
  | { readonly kind: "fail"; readonly code: number; readonly message: string; readonly effect: boolean }
  | { readonly kind: "lose"; readonly effect: boolean }
  | { readonly kind: "hang"; readonly effect: boolean }
  | { readonly kind: "crash"; readonly effect: boolean; readonly backAfterMs?: number };

/** A step with the types of its request, of the normal response and of its own response. */
type StepOf<Asked, Done, Given> =
  | PlainStep
  | { readonly kind: "reply"; readonly answer: Given | ((request: Asked, carryOut: () => Done) => Given | Promise<Given>) }
  | { readonly kind: "delay"; readonly until: Wait; readonly next: StepOf<Asked, Done, Given> }
  | { readonly kind: "choose"; readonly choose: (request: Asked) => StepOf<Asked, Done, Given> };

/** What happens to one call of a method. */
export type Step<M extends Method> = StepOf<Request<M>, Answer<M>, Answer<M>>;

/** A step of any method, as it is run. */
export type PlayedStep = StepOf<never, never, object>;

/** Milliseconds, or a gate that the test opens with `driver.release(name)`. */
export type Wait = { readonly ms: number } | { readonly gate: string };

/** The steps of each method, call by call; after them the driver behaves normally. */
export type Script = { readonly [M in Method]?: readonly Step<M>[] };

const act: PlainStep = { kind: "act" };

/**
 * The steps of a driver's script.
 *
 * ```ts
 * const script = { ControllerPublishVolume: [step.lost, step.delay(50), step.fail("Internal", "no")] };
 * ```
 */
export const step = {
  /** Behaves normally. */
  act,
  /**
   * Responds with this and changes nothing. A function gets the request, and may carry it out:
   * `step.reply((request, carryOut) => ({ ...carryOut(), nodeExpansionRequired: false }))`
   */
  reply: <A>(answer: A): { readonly kind: "reply"; readonly answer: A } => ({ kind: "reply", answer }),
  /** Fails, before the work is done or after it. */
  fail: (code: CodeName, message = `scripted ${code}`, { effect = false } = {}): PlainStep => ({
    kind: "fail",
    code: Code[code],
    message,
    effect,
  }),
  /** Does the work; the response is lost. */
  lost: { kind: "lose", effect: true } as PlainStep,
  /** The request is lost: nothing is done, and there is no response. */
  lostBefore: { kind: "lose", effect: false } as PlainStep,
  /** Does nothing until the client gives up. */
  hang: { kind: "hang", effect: false } as PlainStep,
  /** Does the work, and does not respond until the client gives up. */
  hangAfter: { kind: "hang", effect: true } as PlainStep,
  /** The driver crashes before the work is done; with `backAfterMs` it is started again. */
  crash: (backAfterMs?: number): PlainStep => died(false, backAfterMs),
  /** The driver crashes after the work is done. */
  crashAfter: (backAfterMs?: number): PlainStep => died(true, backAfterMs),
  /** Another step, later. As with real drivers, the work is done even if the client did not wait for it. */
  delay: <S = PlainStep>(ms: number, next?: S): Delay<S> => ({ kind: "delay", until: { ms }, next: next ?? (act as S) }),
  /** Another step, which depends on the request: `driver.always("CreateVolume", step.choose(({ name }) => ...))`. */
  choose: <C>(choose: C): { readonly kind: "choose"; readonly choose: C } => ({ kind: "choose", choose }),
  /** Another step, when the test calls `driver.release(gate)`. */
  waitFor: <S = PlainStep>(gate: string, next?: S): Delay<S> => ({ kind: "delay", until: { gate }, next: next ?? (act as S) }),
} as const;

interface Delay<S> {
  readonly kind: "delay";
  readonly until: Wait;
  readonly next: S;
}

function died(effect: boolean, backAfterMs: number | undefined): PlainStep {
  return { kind: "crash", effect, ...(backAfterMs === undefined ? {} : { backAfterMs }) };
}
