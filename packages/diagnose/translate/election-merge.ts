import { processFlags } from "@csi-sidecars/host";
import type { Fields } from "./container.ts";
import { argument, holdersOf, type Merged, quoted } from "./flag-merge.ts";
import { type LegacySidecar, mayElect } from "./legacy-sidecar.ts";
import type { Item } from "./merge-lists.ts";

interface ElectionOptions {
  /** The `spec` of the pods. */
  readonly pod: Fields;
  /** Whether old and new pods may run at the same time. */
  readonly overlaps: boolean;
}

/** The flags of leader election: one lease for all controllers. */
export function mergeElection(sidecars: readonly LegacySidecar[], { pod, overlaps }: ElectionOptions): Merged {
  const eligible = sidecars.filter(({ component }) => component.leadership === "required" || component.leadership === "own");
  const elected = holdersOf(eligible.filter(mayElect), "leader-election");
  const chosen = elected.find(({ given }) => given.value === "true") ?? elected[0];
  if (!chosen) return { args: [], warnings: [] };
  const others = eligible.filter((sidecar) => !mayElect(sidecar));
  const different = elected.filter(({ given }) => given.value !== chosen.given.value);
  const names = (all: readonly LegacySidecar[]) => all.map(({ name }) => name).join(", ");
  const { value } = chosen.given;
  const ending = fittingShutdown(pod);
  return {
    args: [
      value === "true" ? { flag: "leader-election", text: "true", comments: [] } : argument("leader-election", chosen),
      ...(overlaps ? [{ flag: "leader-election-migration", text: "wait", comments: [] }] : []),
      ...ending.args,
    ],
    warnings: [
      ...(others.length > 0
        ? [
            `${names(others)} ran without leader election, ${names(elected.map(({ sidecar }) => sidecar))} with it: now all of them act in the leader only; ` +
              "one that still runs without a lease cannot be noticed, so scale the old pods down first",
          ]
        : []),
      ...different.map(
        ({ sidecar, given }) =>
          `--leader-election has one value in csi-sidecars, ${quoted(value)} as in ${chosen.sidecar.name}; it was ${quoted(given.value)} in ${sidecar.name}`,
      ),
      ...ending.warnings,
    ],
  };
}

/** What it takes at most, once work has ended, to release the lease and to send the last events. */
const releaseMs = 5_000;

/** A shorter shutdown where the kubelet would kill the container before its lease is released. */
function fittingShutdown(pod: Fields): Merged {
  const flag = processFlags["shutdown-timeout"];
  const grace = Number(pod.terminationGracePeriodSeconds ?? 30);
  const longest = grace * 1000 - releaseMs;
  if (!(longest < flag.initial)) return { args: [], warnings: [] };
  const text = flag.format(Math.max(0, longest));
  return {
    args: [{ flag: "shutdown-timeout", text, comments: [] }],
    warnings:
      grace < 30
        ? [`terminationGracePeriodSeconds is ${grace}: calls in flight have ${text} to end (--shutdown-timeout), then they are cut off`]
        : [],
  };
}

/** The identity in the election and the namespace of the lease, where the manifest does not have them. */
export function podVariables(present: readonly Item[]): readonly Fields[] {
  const fields = [
    ["POD_NAME", "metadata.name"],
    ["POD_NAMESPACE", "metadata.namespace"],
  ] as const;
  return fields
    .filter(([name]) => !present.some(({ value }) => value.name === name))
    .map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));
}
