import { humanDuration } from "@csi-sidecars/testcluster";
import { fold } from "./fold.ts";
import type { Picture } from "./picture.ts";

/** The space to draw on. */
export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

/** With fewer columns the names of volumes are shortened. */
const roomForNames = 100;
const shownEvents = 6;
const shownRows = 8;

/** The live view of a picture, cut to fit the frame: as many lines as the frame has rows at most. */
export function draw(picture: Picture, frame: Frame): readonly string[] {
  const paint = painter(frame.color);
  const age = (since: number) => humanDuration(Math.max(0, picture.at - since));
  const named = frame.columns < roomForNames ? shortened : (name: string) => name;
  const { claims, volumes, attachments, events, sidecar, driver } = picture;
  const lines = [
    ...fold(picture.problem ?? "", frame.columns).filter((line) => line !== ""),
    ...processes(sidecar, driver, frame.columns),
    ...table(
      ["CLAIM", "PHASE", "AGE", "SIZE", "VOLUME"],
      claims.map((row) => [row.name, row.phase, age(row.since), row.size, named(row.volume)]),
    ),
    ...table(
      ["VOLUME", "PHASE", "AGE", "SIZE", "TOPOLOGY", "CLAIM"],
      volumes.map((row) => [named(row.name), row.phase, age(row.since), row.size, row.topology, row.claim]),
    ),
    ...table(
      ["ATTACHED VOLUME", "PHASE", "AGE", "NODE", "ZONE"],
      attachments.map((row) => [named(row.volume), row.phase, age(row.since), row.node, row.zone]),
    ),
    ...table(
      ["EVENT", "AGE", "ABOUT", "MESSAGE"],
      events.slice(-shownEvents).map((row) => [row.reason, age(row.at), row.about, row.message.replaceAll("\n", " ")]),
    ),
  ];
  return lines.slice(0, Math.max(1, frame.rows)).map((line) => paint(line.slice(0, frame.columns)));
}

/** `pvc-7a1871d7…`: enough to tell one from another. */
const shortened = (name: string) => name.replace(/^(\S+?-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}$/, "$1…");

/** One line, or two where that is too long. */
function processes(sidecar: Picture["sidecar"], driver: Picture["driver"], columns: number): readonly string[] {
  const memory = sidecar.memory === undefined ? "" : `, ${(sidecar.memory / 1e6).toFixed(0)} MB`;
  const rate = `${sidecar.requestsPerSecond.toFixed(1)} requests/s`;
  const volumes = driver.volumes === undefined ? "answers" : counted(driver.volumes, "volume");
  const running = driver.process ? ` ${state(driver.process)}` : "";
  const both = [
    `csi-sidecars ${state(sidecar)}${memory}, ${rate}`,
    `${driver.name}${running}, ${driver.answers ? volumes : "does not answer"}`,
  ];
  const line = both.join("   ");
  return line.length > columns ? both : [line];
}

const state = ({ pid, restarts }: { readonly pid: number | undefined; readonly restarts: number }) =>
  `${pid === undefined ? "(down)" : `(pid ${pid})`}${restarts > 0 ? ` ${counted(restarts, "restart")}` : ""}`;

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Columns that are left out where no row has anything to say there. */
const optional = ["TOPOLOGY", "ZONE"];

/** A blank line, a heading and rows in columns; the newest rows where there are too many. */
function table(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.slice(-shownRows);
  const columns = [...heading.keys()].filter((column) => !optional.includes(heading[column] ?? "") || shown.some((row) => row[column]));
  const width = (column: number) => Math.max(...[heading, ...shown].map((row) => row[column]?.length ?? 0));
  const line = (cells: readonly string[]) =>
    columns
      .map((column) => (cells[column] ?? "").padEnd(width(column)))
      .join("  ")
      .trimEnd();
  const hidden = rows.length - shown.length;
  return ["", line(heading), ...shown.map(line), ...(hidden > 0 ? [`and ${hidden} more`] : rows.length === 0 ? ["none"] : [])];
}

const colors: readonly (readonly [RegExp, number])[] = [
  [/^(CLAIM|VOLUME|ATTACHED VOLUME|EVENT) .*$/, 1],
  [/\b(Bound|Attached|Running)\b/g, 32],
  [/\b(Pending|Attaching|Detaching|Terminating|Released)\b/g, 33],
  [/\b(Failed|AttachError|DetachError|Lost)\b|\(down\)|does not answer/g, 31],
];

function painter(color: boolean): (line: string) => string {
  if (!color) return (line) => line;
  return (line) => colors.reduce((text, [pattern, code]) => text.replace(pattern, (found) => `\x1b[${code}m${found}\x1b[0m`), line);
}
