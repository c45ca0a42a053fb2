import type { Clock } from "@csi-sidecars/base";
import { GrpcError } from "@csi-sidecars/csi";
import type { CallOutcome } from "./call-log.ts";
import type { PlayedStep, Wait } from "./step.ts";

/** What a step needs to know of its call and of the driver. */
interface StepContext {
  readonly request: object;
  readonly clock: Clock;
  /** Aborts when the client gives up or goes away. */
  readonly client: AbortSignal;
  /** Aborts when the driver dies. */
  readonly life: AbortSignal;
  /** Does what the driver does without a script. */
  carryOut(): object;
  gate(name: string): Promise<void>;
  abandon(): void;
  crash(backAfterMs: number | undefined): Promise<void>;
}

/** Runs a step. Returns how the call ended; throws the error to respond with. */
export async function runStep(step: PlayedStep, context: StepContext): Promise<CallOutcome> {
  switch (step.kind) {
    case "act":
      return { kind: "answered", response: context.carryOut() };
    case "reply": {
      const { answer } = step;
      const response = typeof answer === "function" ? await answer(context.request as never, context.carryOut as () => never) : answer;
      return { kind: "answered", response };
    }
    case "fail":
      if (step.effect) context.carryOut();
      throw new GrpcError(step.code, step.message);
    case "lose": {
      const effect = step.effect && hasEffect(context);
      context.abandon();
      return { kind: "unanswered", because: "lost", effect };
    }
    case "hang": {
      const effect = step.effect && hasEffect(context);
      await aborted(AbortSignal.any([context.client, context.life]));
      return { kind: "unanswered", because: "hung", effect };
    }
    case "crash": {
      const effect = step.effect && hasEffect(context);
      await context.crash(step.backAfterMs);
      return { kind: "unanswered", because: "crashed", effect };
    }
    case "delay":
      await Promise.race([waited(step.until, context), aborted(context.life)]);
      if (context.life.aborted) return { kind: "unanswered", because: "crashed", effect: false };
      return runStep(step.next, context);
    case "choose":
      return runStep(step.choose(context.request as never), context);
  }
}

function waited(until: Wait, { clock, gate, life }: StepContext): Promise<void> {
  return "gate" in until ? gate(until.gate) : clock.sleep(until.ms, life).catch(() => {});
}

function hasEffect({ carryOut }: StepContext): boolean {
  try {
    carryOut();
    return true;
  } catch {
    return false;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Named gates that calls wait at; one that was opened stays open. */
export class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  passed(name: string): Promise<void> {
    return this.#gate(name).promise;
  }

  open(name: string): void {
    this.#gate(name).resolve();
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }
}
