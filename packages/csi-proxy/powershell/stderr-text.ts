import type { Redact } from "./redact.ts";

/** What is kept of stderr while a process runs. */
const keptBytes = 64 * 1024;
/** What of it goes into an error. */
const shownBytes = 4 * 1024;

/** The first part of what a process wrote to stderr. The rest is read and dropped, so that the process is never held up. */
export class StderrText {
  readonly #parts: Buffer[] = [];
  #length = 0;
  #isCut = false;

  push(chunk: Buffer): void {
    const part = chunk.subarray(0, keptBytes - this.#length);
    this.#isCut ||= part.length < chunk.length;
    this.#length += part.length;
    if (part.length > 0) this.#parts.push(part);
  }

  /** For an error: without secrets and without PowerShell's XML, at most 4 KiB. */
  shown(redact: Redact): string {
    const whole = Buffer.concat(this.#parts).toString("utf8");
    const text = redact(readable(whole));
    // The place where it was cut may be inside of a secret, which then is not found.
    if (this.#isCut && redact(whole) !== whole) return "";
    return Buffer.from(text.trim())
      .subarray(0, shownBytes)
      .toString("utf8")
      .replace(/\uFFFD$/, "");
  }
}

/** PowerShell writes errors and progress to a redirected stderr as CLIXML: a header line, and one line of XML with the texts. */
function readable(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#< CLIXML"))
    .map((line) => (line.startsWith("<Objs ") ? errorsIn(line) : line))
    .join("\n");
}

function errorsIn(clixml: string): string {
  return [...clixml.matchAll(/<S S="Error">([^<]*)<\/S>/g)].map(([, text = ""]) => text.replace(/_x000D_|_x000A_/g, "")).join("\n");
}
