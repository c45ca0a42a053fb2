import { STATUS_CODES } from "node:http";

/** A whole answer with a body of known length. */
export function answerBytes(code: number, headers: Readonly<Record<string, string>>, body: string): Buffer {
  return Buffer.from(`${headText(code, headers)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The beginning of an answer whose body follows in chunks. */
export function streamHeadBytes(code: number, headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(`${headText(code, headers)}Transfer-Encoding: chunked\r\n\r\n`);
}

/** One piece of a chunked body, framed: the same bytes serve every watcher. */
export function chunkBytes(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

export const lastChunkBytes = Buffer.from("0\r\n\r\n");

export const continueBytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

function headText(code: number, headers: Readonly<Record<string, string>>): string {
  let text = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? "Unknown"}\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`;
  return text;
}
