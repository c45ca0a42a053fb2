import type { Component } from "../component.ts";
import type { Election } from "./election.ts";
import type { LeaderTerms, Terms } from "./leader-terms.ts";

/** All elections of a process. They know nothing of each other: each is won, lost and ended by itself. */
export class Elections {
  readonly #terms: ReadonlyMap<Election, LeaderTerms>;

  constructor(terms: ReadonlyMap<Election, LeaderTerms>) {
    this.#terms = terms;
  }

  /** The terms in which a component runs; `undefined` for one that needs no leadership. */
  termsOf(component: Component): Terms | undefined {
    return [...this.#terms].find(([{ components }]) => components.includes(component))?.[1];
  }

  /** For health checks: each lease that this process leads by and does not renew. */
  check(): string | undefined {
    const problems = [...this.#terms.values()].flatMap((terms) => terms.check()?.message ?? []);
    return problems.length > 0 ? problems.join("; ") : undefined;
  }

  /** See {@link LeaderTerms.end}. */
  async end(): Promise<void> {
    await Promise.all([...this.#terms.values()].map((terms) => terms.end()));
  }
}
