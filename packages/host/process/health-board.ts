import { Mux } from "../http/mux.ts";
import type { Answer, HealthCheck, RouteRequest, Routes } from "../http/routes.ts";
import type { ComponentState } from "../supervisor/component-runner.ts";

/** What is known of one component for those who ask over HTTP. */
export class HealthBoard {
  readonly #component: string;
  readonly #state: () => ComponentState;
  /** The further paths of the component. */
  readonly paths = new Mux();
  #check: HealthCheck | undefined;

  constructor(component: string, state: () => ComponentState) {
    this.#component = component;
    this.#state = state;
  }

  /** Lets the component answer for itself; returns how to end that. */
  use(check: HealthCheck): () => void {
    this.#check = check;
    return () => {
      if (this.#check === check) this.#check = undefined;
    };
  }

  /** The component's own answer, or without one what its state says. `own`: without one it is not well. */
  async answer(request: RouteRequest, own: boolean): Promise<Answer> {
    if (this.#check) return this.#check(request);
    const state = this.#state();
    const text = "because" in state ? `${this.#component} is ${state.is}: ${state.because}` : `${this.#component} is ${state.is}`;
    if (state.is === "failed" || own) return { status: 500, body: text };
    return { status: 200, body: state.is === "disabled" ? text : "ok" };
  }

  /** `/healthz` of a listener that serves this component alone. */
  routes(): Routes {
    return { "/healthz": (request) => this.answer(request, true) };
  }
}
