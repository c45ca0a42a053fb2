import { isDeepStrictEqual } from "node:util";
import { type Component, type PolicyRule, type RbacRules, readCommandLine, type SidecarProgram } from "@csi-sidecars/host";
import { type Meaning, spellingsOf } from "../../packages/host/flags/spellings.ts";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";

/** On which value of a flag a rule depends. */
export interface FlagCondition {
  /** All that it is called; the first one that is given counts. */
  readonly spellings: readonly string[];
  /** The value with which the rule is needed; a duration counts as true while it is above zero. */
  readonly is: boolean;
  readonly initially: boolean;
}

/** A rule and the conditions that must all hold for it; beside them it may have a gate. */
export interface ConditionalRule {
  readonly scope: keyof RbacRules;
  readonly rule: PolicyRule;
  readonly when?: readonly FlagCondition[];
}

/** The rules of a component for every setting of its flags, found by setting one after the other. */
export function conditionalRules(program: SidecarProgram, component: Component): readonly ConditionalRule[] {
  const initial = verbsWith(program, component, []);
  const switches = Object.entries(component.flags).flatMap(([name, { initial: value, type }]) => {
    if (typeof value !== "boolean" && type !== "duration") return [];
    const initially = typeof value === "boolean" ? value : Number(value) > 0;
    const other = typeof value === "boolean" ? String(!value) : initially ? "0s" : "1s";
    const spellings = spellingsFor(program, component, name);
    const verbs = verbsWith(program, component, [`--${spellings[0]}=${other}`]);
    return isDeepStrictEqual(verbs, initial) ? [] : [{ spellings, initially, verbs }];
  });

  const all = new Map([...switches.flatMap(({ verbs }) => [...verbs]), ...initial]);
  const grouped = new Map<string, ConditionalRule>();
  for (const [key, found] of all) {
    const conditions = switches.filter(({ verbs }) => verbs.has(key) !== initial.has(key));
    if (!initial.has(key) && conditions.length > 1) throw new Error(`${component.name}: more than one flag enables ${key}`);
    const when = conditions.map(({ spellings, initially }) => ({ spellings, initially, is: initial.has(key) === initially }));
    const group = JSON.stringify([found.scope, { ...found.rule, verbs: [] }, when]);
    const before = grouped.get(group)?.rule.verbs ?? [];
    grouped.set(group, {
      scope: found.scope,
      rule: { ...found.rule, verbs: [...before, ...found.rule.verbs] },
      ...(when.length > 0 && { when }),
    });
  }
  return [...grouped.values()];
}

interface Verb {
  readonly scope: keyof RbacRules;
  /** With that verb alone. */
  readonly rule: PolicyRule;
}

/** Every single verb that a command line needs. */
function verbsWith(program: SidecarProgram, component: Component, args: readonly string[]): ReadonlyMap<string, Verb> {
  const controllers = program.form === "all-in-one" ? [`--controllers=${component.name}`] : [];
  const line = readCommandLine(commandLineOf(program), [...controllers, ...args]);
  if (line.asks !== "run") throw new Error(`${program.name} does not take ${args.join(" ")}`);
  const rules = component.rbac(line.settings.of(component));
  return new Map(
    (["cluster", "namespaced"] as const).flatMap((scope) =>
      rules[scope].flatMap((rule) =>
        rule.verbs.map((verb): [string, Verb] => {
          const single = { scope, rule: { ...rule, verbs: [verb] } };
          return [JSON.stringify(single), single];
        }),
      ),
    ),
  );
}

/** The spellings of a component's flag: its own first, then those that set it for every component. */
export function spellingsFor(program: SidecarProgram, component: Component, flag: string): readonly string[] {
  const own = (meaning: Meaning) =>
    meaning.sets === "component" && meaning.places.some((place) => place.component === component.name && place.flag === flag);
  const follows = component.flags[flag]?.follows;
  const shared = (meaning: Meaning) => meaning.sets === "generic" && meaning.flag === follows;
  const spellings = [...spellingsOf(commandLineOf(program))];
  return [own, shared].flatMap((is) => spellings.filter(([, meaning]) => is(meaning)).map(([spelling]) => spelling));
}
