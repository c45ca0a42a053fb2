import { ownValue } from "@csi-sidecars/base";
import { seededRandom } from "@csi-sidecars/base/testing";
import type { CodeName } from "@csi-sidecars/csi";
import type { ProtoJson } from "../calls/proto-json.ts";
import { type ConditionRule, ConditionRules } from "./condition-rules.ts";

/** A gRPC status that a rule returns. */
export interface FaultError {
  readonly code: CodeName;
  readonly message?: string;
}

/** What happens to a call. Several fields apply in the order in which they are declared here. */
export interface FaultAction {
  readonly delayMs?: number;
  /** Holds the call until it is released, its deadline passes or the client gives up. */
  readonly hang?: boolean;
  /** Ends the process with this code (in a test's process: kills the driver). */
  readonly crash?: number;
  /** Closes the connection without an answer. */
  readonly dropConnection?: boolean;
  readonly error?: FaultError;
  /** Does the work at once but returns a code until a time after the first call: a slow storage array. */
  readonly background?: { readonly doneAfterMs: number; readonly code?: CodeName; readonly message?: string };
  /** Merged into the answer, by the names of the .proto; null takes a field away. */
  readonly patchResponse?: Readonly<Record<string, unknown>>;
  /** Of a streamed answer: so many messages, then an error. */
  readonly corruptStream?: FaultError & { readonly messages: number };
}

/** A test of a request's field: equal to a value, or matching an expression. */
export type FieldTest = string | number | boolean | { readonly regex: string };

/** Which calls fail, and how. */
export interface CallRule {
  /** Shown in records of calls; the rule's place in the list unless given. */
  readonly name?: string;
  /** `CreateVolume`, or `*`. */
  readonly method: string;
  /** Tests by path: `volume_content_source.snapshot.snapshot_id`. */
  readonly match?: Readonly<Record<string, FieldTest>>;
  /** How many matches are skipped first. */
  readonly skip?: number;
  /** How often it applies; unlimited if not given. */
  readonly times?: number;
  /** The share of matches it applies to, 0 to 1; `seed` repeats the choice. */
  readonly probability?: number;
  readonly seed?: number;
  /** `before`: nothing was done. `after`: the work is done and durable, only the response is affected. */
  readonly phase?: "before" | "after";
  readonly action: FaultAction;
}

/** What goes wrong: with calls, or with volumes. */
export type FaultRule = CallRule | ConditionRule;

interface Entry {
  readonly rule: CallRule;
  readonly name: string;
  readonly random: () => number;
  seen: number;
  used: number;
}

/** A rule that applies to a call. */
interface AppliedRule {
  readonly rule: CallRule;
  readonly name: string;
}

/** The active rules and how often each was used: of those for calls the first that matches and has uses left applies. */
export class FaultRules {
  readonly #conditions: ConditionRules;
  #entries: Entry[] = [];

  /** `conditions` is where the health checks look for the rules of volumes. */
  constructor(conditions = new ConditionRules()) {
    this.#conditions = conditions;
  }

  /** Replaces all rules and resets their counts. */
  set(rules: readonly FaultRule[]): void {
    this.#entries = [];
    this.#conditions.clear();
    for (const rule of rules) this.add(rule);
  }

  /** Throws if a regular expression of the rule is invalid. */
  add(rule: FaultRule): void {
    if ("condition" in rule) {
      this.#conditions.set(rule);
      return;
    }
    for (const test of Object.values(rule.match ?? {})) if (typeof test === "object") new RegExp(test.regex);
    const name = rule.name ?? `rule ${this.#entries.length + 1}`;
    this.#entries.push({ rule, name, random: seededRandom(rule.seed ?? 1), seen: 0, used: 0 });
  }

  get rules(): readonly FaultRule[] {
    return [...this.#entries.map(({ rule }) => rule), ...this.#conditions.rules];
  }

  /** The rule that applies to a call, if any; counts its use. */
  take(method: string, request: ProtoJson): AppliedRule | undefined {
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

/** Whether a request passes all tests. */
export function passes(request: ProtoJson, tests: Readonly<Record<string, FieldTest>> = {}): boolean {
  return Object.entries(tests).every(([path, test]) => passesOne(valueAt(request, path), test));
}

function passesOne(value: unknown, test: FieldTest): boolean {
  const text = value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return typeof test === "object" ? new RegExp(test.regex).test(text) : text === String(test);
}

/** The value at a dotted path; the key of a map may itself have dots. */
function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const members: Readonly<Record<string, unknown>> = { ...value };
  if (Object.hasOwn(members, path)) return ownValue(members, path);
  const [head = "", ...rest] = path.split(".");
  return rest.length > 0 ? valueAt(ownValue(members, head), rest.join(".")) : undefined;
}
