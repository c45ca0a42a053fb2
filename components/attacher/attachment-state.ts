/** Which attachments are being worked on: what a driver lists about those may be older or newer than what is known here. */
export class Activity {
  readonly #running = new Set<string>();
  readonly #records = new Set<Set<string>>();

  async during<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#running.add(name);
    for (const record of this.#records) record.add(name);
    try {
      return await work();
    } finally {
      this.#running.delete(name);
    }
  }

  /** Everything that is worked on at any time from now until `stop`. */
  record(): { readonly touched: ReadonlySet<string>; stop(): void } {
    const touched = new Set(this.#running);
    this.#records.add(touched);
    return { touched, stop: () => void this.#records.delete(touched) };
  }
}
