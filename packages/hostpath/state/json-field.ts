import { ownValue } from "@csi-sidecars/base";
import { isDataName } from "../data/data.ts";

/** A value of a state file, checked while it is read: each error names the field. */
export class Field {
  readonly #value: unknown;
  readonly path: string;

  constructor(value: unknown, path: string) {
    this.#value = value;
    this.path = path;
  }

  /** A member of this object; absent when there is none. */
  at(key: string): Field {
    return new Field(ownValue(this.#members(), key), `${this.path}.${key}`);
  }

  get absent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  text(): string {
    if (this.absent) return "";
    if (typeof this.#value !== "string") throw this.#unlike("a string");
    return this.#value;
  }

  id(): string {
    const id = this.text();
    if (!isDataName(id)) throw this.#unlike("an id (a name that a directory of a volume can have)");
    return id;
  }

  flag(): boolean {
    if (this.absent) return false;
    if (typeof this.#value !== "boolean") throw this.#unlike("true or false");
    return this.#value;
  }

  /** A 64-bit integer: a number, or a string of digits where a number would not be exact. */
  integer(): bigint {
    if (this.absent) return 0n;
    if (typeof this.#value === "number" && Number.isInteger(this.#value)) return BigInt(this.#value);
    if (typeof this.#value === "string" && /^-?\d+$/.test(this.#value)) return BigInt(this.#value);
    throw this.#unlike("an integer");
  }

  list(): Field[] {
    if (this.absent) return [];
    if (!Array.isArray(this.#value)) throw this.#unlike("a list");
    return this.#value.map((item, index) => new Field(item, `${this.path}[${index}]`));
  }

  texts(): string[] {
    return this.list().map((item) => item.text());
  }

  map(): Record<string, string> {
    if (this.absent) return {};
    return Object.fromEntries(Object.keys(this.#members()).map((key) => [key, this.at(key).text()]));
  }

  #members(): Readonly<Record<string, unknown>> {
    if (typeof this.#value !== "object" || this.#value === null || Array.isArray(this.#value)) throw this.#unlike("an object");
    return this.#value as Readonly<Record<string, unknown>>;
  }

  #unlike(expected: string): Error {
    return new Error(`${this.path} is not ${expected}`);
  }
}

/** A 64-bit integer for JSON: a number as long as that is exact. */
export function jsonInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
