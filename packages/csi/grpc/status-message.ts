const plain = /^[ -$&-~]*$/;

/** The `grpc-message` form of a text: UTF-8, everything but printable ASCII (and `%` itself) as `%XX`. */
export function encodeStatusMessage(text: string): string {
  if (plain.test(text)) return text;
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
