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
