/** Headers of a call beyond those of gRPC itself; values of keys that end in `-bin` are base64 as on the wire. */
export type Metadata = Readonly<Record<string, string>>;

/** The value of a header; the first one where it was sent more than once. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const unitMilliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** The `grpc-timeout` value of a duration: at most eight digits and a unit, never shorter than what was asked. */
export function encodeTimeout(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  for (const unit of ["m", "S", "M"] as const) {
    const amount = Math.ceil(whole / (unitMilliseconds[unit] ?? 1));
    if (amount < 1e8) return `${amount}${unit}`;
  }
  return `${Math.min(99_999_999, Math.ceil(whole / 3_600_000))}H`;
}

/** Milliseconds of a `grpc-timeout` value; `undefined` when it is not one. */
export function parseTimeout(value: string): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(value);
  if (!match) return undefined;
  return Number(match[1]) * (unitMilliseconds[match[2] ?? ""] ?? Number.NaN);
}

const printable = /^[ -$&-~]*$/;

/** The `grpc-message` form of a text: UTF-8, everything but printable ASCII (and `%` itself) as `%XX`. */
export function encodeStatusMessage(text: string): string {
  if (printable.test(text)) return text;
  let encoded = "";
  for (const byte of new TextEncoder().encode(text)) {
    encoded +=
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

/** The same for texts that may be long: whole characters as far as `maxLength` reaches, since peers refuse large header blocks. */
export function encodeStatusMessageUpTo(maxLength: number, text: string): string {
  if (text.length * 9 <= maxLength) return encodeStatusMessage(text);
  let encoded = "";
  for (const character of text) {
    const next = encodeStatusMessage(character);
    if (encoded.length + next.length > maxLength) break;
    encoded += next;
  }
  return encoded;
}

/** The text of a `grpc-message`. What is not a valid escape stays as it is: a damaged message is still worth reading. */
export function decodeStatusMessage(encoded: string): string {
  if (!encoded.includes("%")) return encoded;
  const bytes: number[] = [];
  for (let i = 0; i < encoded.length; i++) {
    const hex = encoded.slice(i + 1, i + 3);
    if (encoded[i] === "%" && /^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes.push(Number.parseInt(hex, 16));
      i += 2;
    } else {
      bytes.push(encoded.charCodeAt(i) & 0xff);
    }
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
