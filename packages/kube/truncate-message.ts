/** The API server refuses longer messages in the status of storage objects. */
const maxMessageBytes = 1024;

/** At most `maxBytes` of the text in UTF-8, cut between two characters: for messages in a status or an event. */
export function truncateMessage(text: string, maxBytes = maxMessageBytes): string {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && isContinuation(encoded[end])) end--;
  return new TextDecoder().decode(encoded.subarray(0, end));
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
