import type { Flag } from "@csi-sidecars/host";
import { genericFlags, processFlags } from "@csi-sidecars/host";
import { canonicalFlag, type Fan, fans, individualFlags } from "@csi-sidecars/host/sub-commands";
import { type Given, type LegacySidecar, mayElect } from "./legacy-sidecar.ts";

/** An argument of the new container. */
export interface Argument {
  /** Without dashes. */
  readonly flag: string;
  readonly text: string;
  readonly comments: readonly string[];
  /** The sidecar whose words these are: its variables are meant. */
  readonly from?: LegacySidecar;
}

/** Arguments, and what they do not carry over. */
export interface Merged {
  readonly args: readonly Argument[];
  readonly warnings: readonly string[];
}

/** The process-wide flags that need more than one common value; others decide about them. */
const decidedElsewhere: ReadonlySet<string> = new Set([
  "version",
  "feature-gates",
  "http-endpoint",
  "metrics-address",
  "leader-election",
  "v",
]);

/** The flags that have one value in the whole process: the most frequent of those that the sidecars had. */
export function mergeProcessFlags(sidecars: readonly LegacySidecar[]): Merged {
  const args: Argument[] = [];
  const warnings: string[] = [];
  for (const [name, flag] of Object.entries<Flag<unknown>>(processFlags)) {
    if (decidedElsewhere.has(name)) continue;
    const concerned = sidecars.filter(({ component }) => Object.hasOwn(individualFlags(component).process, name));
    const holders = holdersOf(concerned, name);
    const chosen = mostFrequent(holders)?.[0];
    if (!chosen) continue;
    args.push(argument(name, chosen));
    const initial = flag.format(flag.initial);
    const others = concerned.filter(
      (sidecar) => isRelevant(name, sidecar) && (sidecar.given.get(name)?.value ?? initial) !== chosen.given.value,
    );
    // The same socket under another path is the same value.
    if (others.length > 0 && name !== "csi-address")
      warnings.push(
        `--${name} has one value in csi-sidecars, ${quoted(chosen.given.value)} as in ${chosen.sidecar.name}; it was ` +
          `${others.map((sidecar) => `${quoted(sidecar.given.get(name)?.value ?? initial)} in ${sidecar.name}`).join(", ")}`,
      );
  }
  return { args, warnings };
}

/** What an election is about does not matter to a sidecar that took part in none. */
function isRelevant(name: string, sidecar: LegacySidecar): boolean {
  return !name.startsWith("leader-election-") || mayElect(sidecar);
}

/**
 * The flags that can be given once for all controllers: the most frequent value without prefix if that takes fewer arguments than a prefix for
 * each, the others with the controller's name. A controller that did not have the flag keeps its default.
 */
export function mergeSharedFlags(sidecars: readonly LegacySidecar[]): readonly Argument[] {
  const components = sidecars.map(({ component }) => component);
  return fans(components, ["v", ...Object.keys(genericFlags)]).flatMap((fan) => fanArguments(fan, sidecars));
}

function fanArguments({ name, flags }: Fan, sidecars: readonly LegacySidecar[]): readonly Argument[] {
  const members = flags.flatMap((member) => {
    const sidecar = sidecars.find(({ component }) => component.name === member.component.name);
    const given = sidecar?.given.get(member.name);
    return sidecar ? [{ ...member, sidecar, given }] : [];
  });
  const holders = members.flatMap(({ sidecar, given }) => (given ? [{ sidecar, given }] : []));
  const common = mostFrequent(holders);
  if (!common) return [];
  const [{ given }] = common;
  const exceptions = members.filter((member) => wanted(name, member, given.value) !== given.value);
  const [withBare, withoutBare] = [1 + exceptions.length, holders.length];
  const bare = withBare < withoutBare || (withBare === withoutBare && (common.length > 1 || members.length === 1 || name === "v"));
  const prefixed = bare ? exceptions : members.filter((member) => member.given);
  return [
    ...(bare ? [{ ...argument(name, common[0]), comments: common.flatMap((holder) => holder.given.comments) }] : []),
    ...prefixed.map(({ component, name: flag, flag: { format, initial }, sidecar, given: own }) =>
      own
        ? argument(canonicalFlag("all-in-one", component.name, flag), { sidecar, given: own })
        : { flag: canonicalFlag("all-in-one", component.name, flag), text: format(initial), comments: [] },
    ),
  ];
}

/** The value that a member has, or is to keep. Nobody depends on how little a sidecar logs that did not say. */
function wanted(name: string, { given, flag }: { readonly given?: Given; readonly flag: Flag<unknown> }, common: string): string {
  return given?.value ?? (name === "v" ? common : flag.format(flag.initial));
}

/** The flags of one controller alone, with its name in front. */
export function prefixSpecificFlags(
  sidecars: readonly LegacySidecar[],
  isServedElsewhere: (sidecar: LegacySidecar, flag: string) => boolean,
): readonly Argument[] {
  return sidecars.flatMap((sidecar) =>
    Object.entries(individualFlags(sidecar.component).own).flatMap(([name, flag]) => {
      const given = sidecar.given.get(name);
      return given && flag.follows === undefined && !isServedElsewhere(sidecar, name)
        ? [argument(canonicalFlag("all-in-one", sidecar.component.name, name), { sidecar, given })]
        : [];
    }),
  );
}

interface Holder {
  readonly sidecar: LegacySidecar;
  readonly given: Given;
}

export function holdersOf(sidecars: readonly LegacySidecar[], name: string): readonly Holder[] {
  return sidecars.flatMap((sidecar) => {
    const given = sidecar.given.get(name);
    return given ? [{ sidecar, given }] : [];
  });
}

/** Those who share the most frequent value; the first of several. */
function mostFrequent(holders: readonly Holder[]): readonly [Holder, ...Holder[]] | undefined {
  const groups = [...Map.groupBy(holders, ({ given }) => given.value).values()];
  const [first, ...others] = groups.toSorted((a, b) => b.length - a.length)[0] ?? [];
  return first && [first, ...others];
}

export function argument(flag: string, { sidecar, given }: Holder): Argument {
  return { flag, text: given.text, comments: given.comments, from: sidecar };
}

export const quoted = (text: string) => JSON.stringify(text);
