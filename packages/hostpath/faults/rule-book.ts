import { seededRandom } from "@csi-sidecars/base/testing";
import type { ProtoView } from "../calls/proto-view.ts";
import { passes } from "./field-test.ts";
import type { FaultRule } from "./rule.ts";

interface Entry {
  readonly rule: FaultRule;
  readonly name: string;
  readonly random: () => number;
  seen: number;
  used: number;
}

/** A rule that applies to a call. */
export interface AppliedRule {
  readonly rule: FaultRule;
  readonly name: string;
}

/** The rules in force and how often each was used: the first that matches and has uses left applies. */
export class RuleBook {
  #entries: Entry[] = [];

  /** Replaces all rules and starts their counts anew. */
  set(rules: readonly FaultRule[]): void {
    this.#entries = [];
    for (const rule of rules) this.add(rule);
  }

  /** Throws where an expression of the rule is none. */
  add(rule: FaultRule): void {
    for (const test of Object.values(rule.match ?? {})) if (typeof test === "object") new RegExp(test.regex);
    const name = rule.name ?? `rule ${this.#entries.length + 1}`;
    this.#entries.push({ rule, name, random: seededRandom(rule.seed ?? 1), seen: 0, used: 0 });
  }

  get rules(): readonly FaultRule[] {
    return this.#entries.map(({ rule }) => rule);
  }

  /** The rule for a call, used up once more. */
  take(method: string, request: ProtoView): AppliedRule | undefined {
    for (const entry of this.#entries) {
      const { rule } = entry;
      if ((rule.method !== "*" && rule.method !== method) || !passes(request, rule.match)) continue;
      if (entry.used >= (rule.times ?? Number.POSITIVE_INFINITY) || entry.seen++ < (rule.skip ?? 0)) continue;
      if (rule.probability !== undefined && entry.random() >= rule.probability) continue;
      entry.used++;
      return { rule, name: entry.name };
    }
    return undefined;
  }
}
