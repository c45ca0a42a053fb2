import { visible } from "@csi-sidecars/base";
import { unreadableNote } from "../access/read-cluster.ts";
import { age } from "../text.ts";
import type { Evidence, Explanation, Step } from "./explanation.ts";

const width = "not yet".length;

/** For people: the answer first, then the steps with their evidence. Plain text, so that it can be mailed and searched. */
export function renderText({ subject, found, summary, steps, remarks, unreadable }: Explanation, now: number): string {
  const lines = [`${subject}: ${summary}`, "", ...steps.flatMap((each) => stepLines(each, now))];
  const notes = [...remarks, ...unreadable.filter((note) => found || !note.startsWith(unreadableNote(subject)))];
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

function evidenceLine({ object, field, value, since }: Evidence, now: number): string {
  const ago = age(now, since);
  return `${object}: ${field}: ${value}${since ? ` (since ${since}${ago ? `, ${ago} ago` : ""})` : ""}`;
}
