import { ownValue } from "@csi-sidecars/base";
import { isObject } from "../json.ts";
import { innerOf, joined, type KnownFields } from "./known-fields.ts";

/** The errors of strict decoding, in the order of the text: `unknown field "spec.foo"`, `duplicate field "data.k"`. */
export function strictDecodingErrors(text: string, known: KnownFields | undefined): readonly string[] {
  const walk = new TextWalk(text);
  walk.value(known, "", true);
  return walk.faults;
}

/** Whether the text of a parsed value may name a member twice. May be wrong where a string looks like a field. */
export function mayHaveDuplicates(text: string, parsed: unknown): boolean {
  return (text.match(/"\s*:/g)?.length ?? 0) > countMembers(parsed);
}

function countMembers(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item);
  else if (isObject(value)) for (const name in value) count += 1 + countMembers(ownValue(value, name));
  return count;
}

/** Walks through text that is known to be JSON. */
class TextWalk {
  readonly faults: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Nothing below an unknown field is reported. */
  value(known: KnownFields | undefined, path: string, tells: boolean): void {
    switch (this.#next()) {
      case "{":
        this.#object(known, path, tells);
        return;
      case "[":
        this.#list(known, path, tells);
        return;
      case '"':
        this.#string();
        return;
      default:
        while (this.#at < this.#text.length && !/[,\]}\s]/.test(this.#text[this.#at] ?? "")) this.#at++;
    }
  }

  #object(known: KnownFields | undefined, path: string, tells: boolean): void {
    const seen = new Set<string>();
    for (this.#at++; this.#next() !== "}"; this.#skip(",")) {
      const name = this.#string();
      const place = joined(path, name);
      const inner = known && innerOf(known, name);
      if (tells && inner === "unknown") {
        if (!seen.has(name)) this.faults.push(`unknown field ${JSON.stringify(place)}`);
      } else if (tells && seen.has(name)) this.faults.push(`duplicate field ${JSON.stringify(place)}`);
      seen.add(name);
      this.#skip(":");
      if (inner === "unknown") this.value(undefined, place, false);
      else this.value(inner, place, tells);
    }
    this.#at++;
  }

  #list(known: KnownFields | undefined, path: string, tells: boolean): void {
    this.#at++;
    for (let i = 0; this.#next() !== "]"; i++, this.#skip(",")) {
      this.value(known?.is === "list" ? known.items : undefined, `${path}[${i}]`, tells);
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    return JSON.parse(this.#text.slice(start, ++this.#at));
  }

  /** The next character that is not a space. */
  #next(): string {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
    return this.#text[this.#at] ?? "";
  }

  #skip(mark: string): void {
    if (this.#next() === mark) this.#at++;
  }
}
