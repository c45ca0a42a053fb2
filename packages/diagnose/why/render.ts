import { visible } from "@csi-sidecars/base";
import { noteLines, roleHint, unreadableNote } from "../access/notes.ts";
import { age } from "../text.ts";
import type { Evidence, Explanation, Step } from "./explanation.ts";

const width = "not yet".length;

/** For people: the answer first, then the steps with their evidence. Plain text, so that it can be mailed and searched. */
export function renderText({ subject, found, summary, steps, remarks, unreadable }: Explanation, now: number): string {
  const lines = [`${subject}: ${summary}`, "", ...steps.flatMap((each) => stepLines(each, now))];
  const others = unreadable.filter((note) => found || !note.startsWith(unreadableNote(subject)));
  const notes = [...remarks, ...noteLines(others), ...roleHint(unreadable, "why")];
  if (notes.length > 0) lines.push("", ...notes);
  return `${lines.map(visible).join("\n")}\n`;
}

/** For programs. */
export function renderJson(explanation: Explanation): string {
  return `${JSON.stringify(explanation, undefined, 2)}\n`;
}

function stepLines({ state, what, evidence, remedy }: Step, now: number): readonly string[] {
  const indent = " ".repeat(width + 4);
  const proofs = state === "done" ? [] : evidence.map((each) => `${indent}${evidenceLine(each, now)}`);
  return [`  ${state.padEnd(width)}  ${what}`, ...proofs, ...(remedy && state !== "done" ? [`${indent}-> ${remedy}`] : [])];
}

function evidenceLine({ object, field, value, since, at }: Evidence, now: number): string {
  const ago = age(now, since ?? at);
  const time = (since ? `since ${since}` : at ? `at ${at}` : "").replace(/\.0+Z$/, "Z");
  return `${object}: ${field}: ${value}${time && ` (${time}${ago ? `, ${ago} ago` : ""})`}`;
}
