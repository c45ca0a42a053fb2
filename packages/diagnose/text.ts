import { visible } from "@csi-sidecars/base";

const longest = 600;

/** Foreign text for a terminal: one line without control characters, shortened. */
export function plain(text: string): string {
  const line = text
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** `a`, `a and b`, `a, b and c`; a long list is shortened. */
export function listed(items: readonly string[], atMost = 5): string {
  const shown = items.length > atMost ? [...items.slice(0, atMost), `${items.length - atMost} more`] : items;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
];

/** How long ago, as `kubectl` says it: `45s`, `12m`, `3h`, `5d`. */
export function age(now: number, since: string | undefined): string | undefined {
  const then = since === undefined ? Number.NaN : Date.parse(since);
  if (Number.isNaN(then)) return undefined;
  return span(Math.max(0, now - then));
}

/** How long, in the same words. */
export function span(ms: number): string {
  const unit = units.find(([, size]) => ms >= 2 * size);
  return unit ? `${Math.floor(ms / unit[1])}${unit[0]}` : `${Math.floor(ms / 1000)}s`;
}

/** The rows of a table as lines with aligned columns; foreign text in them cannot break a line. */
export function alignColumns(cells: readonly (readonly string[])[]): readonly string[] {
  const rows = cells.map((row) => row.map(visible));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
