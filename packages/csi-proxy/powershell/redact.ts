import { ownValue } from "@csi-sidecars/base";
import type { Operation } from "./catalogue.ts";
import type { Envelope, OperationParameters } from "./executor.ts";

/** Takes the secrets of one operation out of a text. */
export type Redact = (text: string) => string;

const stripped = "***stripped***";
/** A shorter secret would be found, and shown by its absence, in every other word. */
const shortest = 4;
/** A longer text is not worth the search. */
const longestSearched = 256 * 1024;
/** A message inside an envelope inside an error report. */
const deepestEscaping = 2;

/** For the secrets among the parameters of an operation. */
export function redactionFor(operation: Operation, params: OperationParameters): Redact {
  const secrets = (operation.secrets ?? []).map((name) => ownValue(params, name) ?? "").filter((secret) => secret !== "");
  if (secrets.length === 0) return (text) => text;
  if (secrets.some((secret) => secret.length < shortest)) return (text) => (text === "" ? "" : stripped);
  const wanted = secrets.flatMap(asPrinted);
  return (text) => strip(text, wanted);
}

/** The same for what a script answered: its data are what was asked for, its error is text. */
export function redactEnvelope(envelope: Envelope, redact: Redact): Envelope {
  if (envelope.ok) return envelope;
  const { error } = envelope;
  return {
    ok: false,
    error: { ...error, message: redact(error.message), ...(error.fqid !== undefined && { fqid: redact(error.fqid) }) },
  };
}

/** A console that cannot show a character shows another one in its place, in the code page of the system. */
function asPrinted(secret: string): readonly string[] {
  const others = /[^\0-\x7f]/g;
  return [...new Set([secret, secret.replace(others, "?"), secret.replace(others, "\uFFFD")])];
}

/** A text, and where each of its characters starts and ends in the original one. */
interface Mapped {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Searches the text as it stands, and as it reads when escapes are undone, once and twice. */
function strip(text: string, secrets: readonly string[]): string {
  if (text.length > longestSearched) return stripped;
  const found: [start: number, end: number][] = [];
  let reading = asItStands(text);
  for (let depth = 0; depth <= deepestEscaping; depth++) {
    for (const secret of secrets) {
      for (let at = reading.text.indexOf(secret); at !== -1; at = reading.text.indexOf(secret, at + 1)) {
        found.push([reading.starts[at] ?? 0, reading.ends[at + secret.length - 1] ?? text.length]);
      }
    }
    reading = unescaped(reading);
  }
  return without(text, found);
}

function without(text: string, found: readonly (readonly [start: number, end: number])[]): string {
  let result = "";
  let from = 0;
  for (const [start, end] of found.toSorted(([a], [b]) => a - b)) {
    if (start >= from) result += text.slice(from, start) + stripped;
    from = Math.max(from, end);
  }
  return result + text.slice(from);
}

/** JSON's escapes, those of CLIXML, and the line breaks with which PowerShell fits its errors to a console. */
const escapes = /\\u([0-9a-f]{4})|\\(["\\/bfnrt])|_x([0-9a-f]{4})_|&(amp|lt|gt|quot|apos);|[\r\n]/gi;
const named: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function asItStands(text: string): Mapped {
  const indexes = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts: indexes, ends: indexes.map((index) => index + 1) };
}

function unescaped(escaped: Mapped): Mapped {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = "";
  let from = 0;
  const add = (characters: string, start: number, end: number) => {
    starts.push(escaped.starts[start] ?? 0);
    ends.push(escaped.ends[end - 1] ?? 0);
    text += characters;
  };
  const copyTo = (end: number) => {
    for (let index = from; index < end; index++) add(escaped.text[index] ?? "", index, index + 1);
  };
  for (const match of escaped.text.matchAll(escapes)) {
    copyTo(match.index);
    const [whole, json, short, clixml, entity] = match;
    const hex = json ?? clixml;
    const name = short ?? entity;
    from = match.index + whole.length;
    if (hex !== undefined) add(String.fromCharCode(Number.parseInt(hex, 16)), match.index, from);
    else if (name !== undefined) add(named.get(name.toLowerCase()) ?? name, match.index, from);
  }
  copyTo(escaped.text.length);
  return { text, starts, ends };
}
