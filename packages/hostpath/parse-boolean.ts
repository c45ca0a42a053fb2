/** Reads a boolean as Go does (`t`, `True`, `1`); undefined for what is none. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  return undefined;
}
