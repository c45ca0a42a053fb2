import { isRecord, ownValue } from "@csi-sidecars/base";

/** A mapping of a parsed file and its path in it, so that every error can name file and field. */
export interface Section {
  readonly where: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** `value` as a mapping; an absent one is empty. */
export function section(value: unknown, where: string): Section {
  if (value === undefined || value === null) return { where, values: {} };
  if (!isRecord(value)) throw new ConfigError(`${where}: must be a mapping of fields to values`);
  return { where, values: value };
}

export function subsection(from: Section, field: string): Section | undefined {
  const value = ownValue(from.values, field);
  return value === undefined || value === null ? undefined : section(value, `${from.where}.${field}`);
}

/** A text field; absent and empty are the same. */
export function text(from: Section, field: string): string | undefined {
  const value = ownValue(from.values, field);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new ConfigError(`${from.where}.${field}: must be a string; put the value in quotes`);
  return value;
}

export function flag(from: Section, field: string): boolean {
  const value = ownValue(from.values, field);
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw new ConfigError(`${from.where}.${field}: must be true or false, without quotes`);
  return value;
}

export function list(from: Section, field: string): readonly unknown[] {
  const value = ownValue(from.values, field);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ConfigError(`${from.where}.${field}: must be a list`);
  return value;
}

export function texts(from: Section, field: string): readonly string[] {
  return list(from, field).map((item) => {
    if (typeof item !== "string") throw new ConfigError(`${from.where}.${field}: must be a list of strings; put each value in quotes`);
    return item;
  });
}

/** A field of base64 text, decoded. The content is never shown. */
export function base64(from: Section, field: string): string | undefined {
  const value = text(from, field)?.replace(/\s+/g, "");
  if (!value) return undefined;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) {
    throw new ConfigError(`${from.where}.${field}: is not valid base64; encode the file with "base64 -w0"`);
  }
  return Buffer.from(value, "base64").toString("utf8");
}

/**
 * The configuration cannot be used. The message names the file or variable, the field in it and what to do about it;
 * it is meant to be printed as it is, without a stack trace, and never contains a credential.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
