import type { Logger } from "@csi-sidecars/base";

const entry = /^\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"\s*(?:"[^"]*"\s*)?(?:,|$)/;

/** The texts of all 299 warnings in a `Warning` header, which may hold several, separated by commas. What is malformed ends the reading. */
export function parseWarnings(header: string): string[] {
  const texts: string[] = [];
  for (let rest = header; rest !== ""; ) {
    const match = entry.exec(rest);
    if (!match) break;
    const text = (match[3] ?? "").replace(/\\(.)/g, "$1");
    if (match[1] === "299" && text !== "") texts.push(text);
    rest = rest.slice(match[0].length);
  }
  return texts;
}

/** Limit of remembered warnings: the memory of a client must not grow with what servers send. */
const maxRemembered = 500;

/** Logs what the API server warns of (deprecated versions, ignored fields), each text once. */
export function warningLog(log: Logger): (header: string | undefined) => void {
  const seen = new Set<string>();
  return (header) => {
    if (!header) return;
    for (const text of parseWarnings(header)) {
      if (seen.has(text)) continue;
      if (seen.size >= maxRemembered) seen.clear();
      seen.add(text);
      log.info(`Warning: ${text}`);
    }
  };
}
