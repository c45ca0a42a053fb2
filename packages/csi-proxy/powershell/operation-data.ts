import { isRecord, ownValue } from "@csi-sidecars/base";
import { isUint32 } from "../check-uint32.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { OperationId } from "./catalogue.ts";

/**
 * Reads what an operation answered, field by field. An answer of another shape than the catalogue's is an internal error that names the
 * operation and the field, so that a script at fault is found from the log alone.
 *
 * ```ts
 * const size = operationData("disk.list", data).list()[0]?.bigint("size");
 * ```
 */
export function operationData(op: OperationId, data: unknown): OperationData {
  return new OperationData(op, "data", data);
}

export class OperationData {
  readonly #op: OperationId;
  readonly #where: string;
  readonly #value: unknown;

  constructor(op: OperationId, where: string, value: unknown) {
    this.#op = op;
    this.#where = where;
    this.#value = value;
  }

  get isNull(): boolean {
    return this.#value === null;
  }

  list(): readonly OperationData[] {
    if (!Array.isArray(this.#value)) throw this.#malformed(this.#where, "a list");
    return this.#value.map((element, index) => new OperationData(this.#op, `${this.#where}[${index}]`, element));
  }

  /** A list of strings. */
  strings(): readonly string[] {
    return this.list().map((element) => {
      if (typeof element.#value !== "string") throw element.#malformed(element.#where, "a string");
      return element.#value;
    });
  }

  /** A list of numbers. */
  uint32s(): readonly number[] {
    return this.list().map((element) => element.#asUint32(element.#value, element.#where));
  }

  string(name: string): string {
    const value = this.#field(name);
    if (typeof value !== "string") throw this.#malformed(`${this.#where}.${name}`, "a string");
    return value;
  }

  /** A string; Windows leaves many properties unset. */
  optionalString(name: string): string | undefined {
    return this.#isAbsent(name) ? undefined : this.string(name);
  }

  boolean(name: string): boolean {
    const value = this.#field(name);
    if (typeof value !== "boolean") throw this.#malformed(`${this.#where}.${name}`, "a boolean");
    return value;
  }

  uint32(name: string): number {
    return this.#asUint32(this.#field(name), `${this.#where}.${name}`);
  }

  optionalUint32(name: string): number | undefined {
    return this.#isAbsent(name) ? undefined : this.uint32(name);
  }

  /** A 64-bit size: a decimal string, since JSON numbers lose digits above 2^53. */
  bigint(name: string): bigint {
    const value = this.#field(name);
    if (isDecimal(value) || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)) return BigInt(value);
    throw this.#malformed(`${this.#where}.${name}`, "a 64-bit size");
  }

  #asUint32(value: unknown, where: string): number {
    const number = isDecimal(value) ? Number(value) : value;
    if (!isUint32(number)) throw this.#malformed(where, "an unsigned 32-bit integer");
    return number;
  }

  #field(name: string): unknown {
    if (!isRecord(this.#value)) throw this.#malformed(this.#where, "an object");
    return ownValue(this.#value, name);
  }

  #isAbsent(name: string): boolean {
    const value = this.#field(name);
    return value === undefined || value === null;
  }

  #malformed(where: string, expected: string): CsiProxyError {
    return new CsiProxyError("Internal", `${this.#op}: malformed answer: ${where} is not ${expected}`, { op: this.#op });
  }
}

function isDecimal(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,20}$/.test(value);
}
