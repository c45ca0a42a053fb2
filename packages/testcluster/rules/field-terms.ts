import { badRequest } from "./status.ts";

/** One comparison of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

/** The comparisons of a field selector in the server's order, which is that of their texts. Values escape `,`, `=` and `\\`. */
export function fieldTerms(text: string): readonly FieldTerm[] {
  return splitAtCommas(text)
    .filter((part) => part !== "")
    .sort()
    .map((part) => parseTerm(text, part))
    .filter(({ field, value }) => field !== "" || value !== "");
}

function splitAtCommas(text: string): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/\\.|./gs)) {
    if (piece === ",") parts.push("");
    else parts.push(`${parts.pop()}${piece}`);
  }
  return parts;
}

function parseTerm(text: string, part: string): FieldTerm {
  const found = /^(?<field>.*?)(?<operator>!=|==?)(?<value>.*)$/s.exec(part)?.groups;
  if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
  return { field: found.field ?? "", negated: found.operator === "!=", value: unescaped(found.value ?? "") };
}

function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gs, (piece, escaped?: string) => {
    if (escaped === undefined) throw badRequest(`invalid field selector: unescaped character in value: ${piece.charCodeAt(0)}`);
    if (!["\\", ",", "="].includes(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${piece}`);
    return escaped;
  });
}
