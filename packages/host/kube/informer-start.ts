import type { Clock } from "@csi-sidecars/base";

const patienceMs = 1_000;

/**
 * Opens when every component that starts has asked for its caches or has ended its start: what is declared before the caches
 * start is listed once, what comes later makes them list again. A slow component holds up the others for a second at most.
 */
export class InformerStart {
  readonly #expected = new Set<string>();
  readonly #open: () => void;
  #opened = false;

  constructor(components: readonly string[], clock: Clock, signal: AbortSignal, open: () => void) {
    const timer = clock.after(patienceMs, () => this.#begin());
    const cancel = () => timer.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    this.#expected = new Set(components);
    this.#open = () => {
      timer.cancel();
      signal.removeEventListener("abort", cancel);
      if (!signal.aborted) open();
    };
    if (components.length === 0) this.#begin();
  }

  /** The component has declared what it needs, or never will. */
  declared(component: string): void {
    this.#expected.delete(component);
    if (this.#expected.size === 0) this.#begin();
  }

  #begin(): void {
    if (this.#opened) return;
    this.#opened = true;
    this.#open();
  }
}
