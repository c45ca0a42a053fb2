import type { DriverCallOptions, DriverCapabilities, PluginCapabilities } from "@csi-sidecars/csi";

type Kind = keyof DriverCapabilities;
type Answer = PluginCapabilities | ReadonlySet<number>;

/** What the components of a process were told that the driver can do: tells whether a driver that comes back is still the same. */
export class KnownCapabilities {
  #known = new Map<Kind, string>();

  /** Remembers an answer that components rely on from now on. */
  remember(kind: Kind, answer: Answer): void {
    this.#known.set(kind, comparable(answer));
  }

  /** Asks the driver again for what is remembered; returns the kinds of capabilities that differ. */
  async differences(driver: DriverCapabilities, options: DriverCallOptions): Promise<readonly Kind[]> {
    const kinds = [...this.#known.keys()];
    const answers = await Promise.all(kinds.map((kind): Promise<Answer> => driver[kind](options)));
    return kinds.filter((kind, i) => comparable(answers[i] as Answer) !== this.#known.get(kind));
  }

  /** Components start over, and ask again. */
  forget(): void {
    this.#known = new Map();
  }
}

/** Equal for answers with the same entries, in whatever order. */
function comparable(answer: Answer): string {
  const sets: readonly ReadonlySet<number>[] = "services" in answer ? [answer.services, answer.volumeExpansion] : [answer];
  return JSON.stringify(sets.map((set) => [...set].sort((a, b) => a - b)));
}
