import { type Dictionary, dictionary } from "@csi-sidecars/base";

/** Headers of a call beyond those of gRPC itself; values of keys that end in `-bin` are base64 as on the wire. */
export type Metadata = Readonly<Record<string, string>>;

/** The value of a header as HTTP/2 hands it over, one character for each byte; the first one where it was sent more than once. */
export function headerValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The text of a header: its bytes are UTF-8 where they are not ASCII, with U+FFFD for what is neither. */
export function headerText(value: string | string[] | undefined): string | undefined {
  const bytes = headerValue(value);
  return bytes && textOf(bytes);
}

function textOf(value: string): string {
  return ascii.test(value) ? value : utf8.decode(Buffer.from(value, "latin1"));
}

/** Whether an answer or a request with this content type is gRPC: `application/grpc`, `application/grpc+proto`, `application/grpc;...`. */
export function isGrpcContentType(value: string | undefined): boolean {
  return value !== undefined && /^application\/grpc(?:$|[+;])/.test(value);
}

const ascii = /^[\0-\x7f]*$/;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

const unitMilliseconds: Readonly<Dictionary<number>> = dictionary({ H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 });

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

/**
 * The text of a `grpc-message`, given its {@link headerValue}. What is not a valid escape stays as it is, and so do bytes that should
 * have been escaped: a damaged message is still worth reading.
 */
export function decodeStatusMessage(encoded: string): string {
  if (!encoded.includes("%")) return textOf(encoded);
  const bytes = Buffer.from(encoded, "latin1");
  let length = 0;
  for (let i = 0; i < bytes.length; i++, length++) {
    const escaped = bytes[i] === percent ? hexValue(bytes[i + 1]) * 16 + hexValue(bytes[i + 2]) : Number.NaN;
    if (Number.isNaN(escaped)) {
      bytes[length] = bytes[i] ?? 0;
    } else {
      bytes[length] = escaped;
      i += 2;
    }
  }
  return utf8.decode(bytes.subarray(0, length));
}

const percent = 0x25;

/** The value of a hexadecimal digit; NaN for any other character. */
function hexValue(character: number | undefined): number {
  if (character === undefined) return Number.NaN;
  const digit = character - 0x30;
  if (digit >= 0 && digit <= 9) return digit;
  const letter = (character | 0x20) - 0x61;
  return letter >= 0 && letter <= 5 ? letter + 10 : Number.NaN;
}
