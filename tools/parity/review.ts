import type { ParityRecord } from "./parity-record.ts";
import type { UpstreamChange } from "./upstream-changes.ts";

/** A fix may wait this long before it fails the check. */
export const patienceDays = 30;

/** Records of an older state of upstream say nothing of what a release lacks. */
export const freshDays = 90;

/** A change that waits: listed as pending in the record, or in no record yet. */
export interface WaitingChange {
  readonly commit: string;
  readonly date: string;
  readonly pull?: number;
  readonly about: string;
  readonly state: "pending" | "unreviewed";
  readonly security: boolean;
  /** Upstream's changelog says that it is a new feature: nobody waits for a correction. */
  readonly feature: boolean;
  readonly ageDays: number;
  /** The changelog entry it is grouped by. */
  readonly group: string;
}

export interface Review {
  readonly controller: string;
  readonly waiting: readonly WaitingChange[];
  /** Why the check fails; none: it passes. */
  readonly failures: readonly string[];
}

/** What of upstream waits for a controller. Without a clone there are no changes to compare with, and the record speaks for itself. */
export function review(record: ParityRecord, changes: readonly UpstreamChange[] | undefined, today: string): Review {
  const known = new Map(changes?.map((change) => [change.commit, change]));
  const reviewed = new Set(record.later.map(({ commit }) => commit));
  const pending = record.later
    .filter(({ verdict }) => verdict === "pending")
    .map((entry): WaitingChange => {
      const { entry: said, security: vulnerable = false } = known.get(entry.commit) ?? {};
      const { commit, date, pull, about, security = vulnerable } = entry;
      return { ...placed(said, about), commit, date, pull, about, security, state: "pending", ageDays: daysBetween(date, today) };
    });
  const unreviewed = (changes ?? [])
    .filter(({ commit }) => !reviewed.has(commit))
    .map(({ commit, date, pull, title, security, entry }): WaitingChange => {
      return {
        ...placed(entry, title),
        commit,
        date,
        pull,
        about: title,
        security,
        state: "unreviewed",
        ageDays: daysBetween(date, today),
      };
    });
  const waiting = [...pending, ...unreviewed];
  const strangers = changes ? record.later.filter(({ commit }) => !known.has(commit)) : [];
  return {
    controller: record.controller,
    waiting,
    failures: [
      ...strangers.map(({ commit }) => `${commit.slice(0, 10)} has a verdict, but is no change of its own after ${record.tag}`),
      ...waiting.flatMap((change) => failureOf(change) ?? []),
    ],
  };
}

/** Why a record is too old for a release, or `undefined`. */
export function staleness({ reviewed: { asOf } }: ParityRecord, today: string): string | undefined {
  const days = daysBetween(asOf, today);
  return days > freshDays ? `reviewed as of ${asOf}, ${days} days ago, more than ${freshDays}: npm run parity -- --clones` : undefined;
}

function placed(entry: UpstreamChange["entry"], about: string): Pick<WaitingChange, "group" | "feature"> {
  return entry
    ? { group: `${entry.kind}: ${entry.text}`, feature: /^feature/i.test(entry.kind) }
    : { group: `not in the changelog: ${about}`, feature: false };
}

function failureOf({ commit, security, feature, state, ageDays, about }: WaitingChange): string | undefined {
  const what = `${commit.slice(0, 10)} (${about})`;
  if (security) return `${what} is about a vulnerability and ${state}`;
  if (!feature && ageDays > patienceDays) return `${what} is ${state} since ${ageDays} days, more than ${patienceDays}`;
  return undefined;
}

function daysBetween(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
