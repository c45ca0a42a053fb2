import type { Answer, HealthCheck, RouteRequest } from "../http/routes.ts";
import type { ComponentState } from "../supervisor/supervisor.ts";

/** What `/healthz` says about one component. */
export class ComponentHealth {
  readonly #component: string;
  readonly #state: () => ComponentState;
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

  /** The component's own answer, or what its state says. `ownCheck`: it is unhealthy as long as it has no check of its own. */
  async answer(request: RouteRequest, ownCheck: boolean): Promise<Answer> {
    if (this.#check) return this.#check(request);
    const state = this.#state();
    const text = "reason" in state ? `${this.#component} is ${state.is}: ${state.reason}` : `${this.#component} is ${state.is}`;
    if (state.is === "failed" || ownCheck) return { status: 500, body: text };
    return { status: 200, body: state.is === "disabled" ? text : "ok" };
  }
}
