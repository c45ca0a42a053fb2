/** What reviews are written in. */
export type MediaType = "application/json" | "application/yaml";

const known: readonly string[] = ["application/json", "application/yaml"] satisfies readonly MediaType[];

function isKnown(type: string): type is MediaType {
  return known.includes(type);
}

/** The type of a body by its header, whatever parameters follow it; `undefined` for one that cannot be read. */
export function bodyType(contentType: string): MediaType | undefined {
  const type = essence(contentType);
  return isKnown(type) ? type : undefined;
}

/** The type of the answer to a request that accepts these: JSON wherever it is welcome. `undefined` where nothing fits. */
export function answerType(accept: string): MediaType | undefined {
  if (accept.trim() === "") return "application/json";
  const wanted = accept
    .split(",")
    .map((clause) => ({ type: essence(clause), weight: weightOf(clause) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ type }) => (type === "*/*" || type === "application/*" ? "application/json" : type));
  return wanted.find(isKnown);
}

function essence(header: string): string {
  return (header.split(";")[0] ?? "").trim().toLowerCase();
}

function weightOf(clause: string): number {
  const q = clause.split(";").find((parameter) => parameter.trim().startsWith("q="));
  const weight = Number(q?.trim().slice(2) ?? 1);
  return Number.isNaN(weight) ? 0 : weight;
}
