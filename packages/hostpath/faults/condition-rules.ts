import type { VolumeRecord } from "../state/records.ts";

/** The `VolumeCondition` of CSI up to 1.12. */
export interface Condition {
  readonly abnormal: boolean;
  readonly message: string;
}

/** The condition that is reported of a volume, by every RPC that reports one, instead of what the health checks find. */
export interface ConditionRule {
  /** The id or the name of a volume; `*` for all volumes that have no rule of their own. */
  readonly volume: string;
  /** Abnormal unless it says otherwise. */
  readonly condition: Partial<Condition>;
}

const everyVolume = "*";

/** The conditions in force: at most one for each volume, found without a search, for all volumes are listed at once. */
export class ConditionRules {
  readonly #byVolume = new Map<string, ConditionRule>();

  get rules(): readonly ConditionRule[] {
    return [...this.#byVolume.values()];
  }

  /** Replaces the rule of the same volume. */
  set(rule: ConditionRule): void {
    this.#byVolume.set(rule.volume, rule);
  }

  /** What the health checks find is reported again. */
  delete(volume: string): void {
    this.#byVolume.delete(volume);
  }

  clear(): void {
    this.#byVolume.clear();
  }

  of({ id, name }: Pick<VolumeRecord, "id" | "name">): Condition | undefined {
    const rule = this.#byVolume.get(id) ?? this.#byVolume.get(name) ?? this.#byVolume.get(everyVolume);
    if (!rule) return undefined;
    const { abnormal = true, message = "" } = rule.condition;
    return { abnormal, message };
  }
}
