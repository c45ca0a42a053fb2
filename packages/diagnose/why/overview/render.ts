import { visible } from "@csi-sidecars/base";
import { noteLines, roleHint } from "../../access/notes.ts";
import { age, alignColumns } from "../../text.ts";
import type { Overview, Stuck } from "./overview.ts";

/** For people: a line for each object, and below it what to do. */
export function renderOverview(overview: Overview, limit: number, now: number): string {
  const { stuck, unreadable } = overview;
  const shown = stuck.slice(0, limit);
  const table = alignColumns([
    ["STATE", "AGE", "OBJECT", "WHY"],
    ...shown.map(({ explanation, since }) => [explanation.state, age(now, since) ?? "-", explanation.subject, explanation.summary]),
  ]);
  const [head = "", ...rows] = table;
  const lines = shown.flatMap((each, at) => [rows[at] ?? "", ...remedyOf(each).map((remedy) => visible(`         -> ${remedy}`))]);
  const notes = [...summaryOf(overview, shown.length), ...noteLines(unreadable), ...roleHint(unreadable, "why")];
  return `${[...(shown.length > 0 ? [head, ...lines, ""] : []), ...notes.map(visible)].join("\n")}\n`;
}

function remedyOf({ explanation: { steps, summary } }: Stuck): readonly string[] {
  const remedy = steps.find(({ what }) => what === summary)?.remedy;
  return remedy === undefined ? [] : [remedy];
}

function summaryOf({ stuck, suspects, explained, unreadable, isBlind, namespace }: Overview, shown: number): readonly string[] {
  const failed = stuck.filter(({ explanation }) => explanation.state === "failed").length;
  const asFar = unreadable.length > 0 ? ", as far as could be read" : "";
  const total =
    stuck.length === 0
      ? isBlind
        ? "what is stuck could not be read"
        : `nothing is stuck${namespace === undefined ? "" : ` in namespace ${namespace}`}${asFar}`
      : `${failed} failed, ${stuck.length - failed} waiting${asFar}`;
  return [
    shown < stuck.length ? `${total}; the first ${shown} are shown (--limit)` : total,
    ...(explained < suspects ? [`${suspects} objects may be stuck: the ${explained} oldest of them were explained`] : []),
    ...(stuck.length > 0 ? ["csi-sidecars why <kind> <name> shows all steps of one"] : []),
  ];
}

/** For programs. */
export function renderOverviewJson(overview: Overview, limit: number): string {
  const { stuck, suspects, explained, unreadable } = overview;
  const items = stuck.slice(0, limit).map(({ explanation, since }) => ({ ...explanation, ...(since !== undefined && { since }) }));
  return `${JSON.stringify({ stuck: stuck.length, shown: items.length, suspects, explained, items, unreadable }, undefined, 2)}\n`;
}
