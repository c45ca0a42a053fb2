import { type Dictionary, dictionary, visible } from "@csi-sidecars/base";
import { humanDuration } from "@csi-sidecars/testcluster";
import { counted } from "./counted.ts";
import { fold, oneLine } from "./fold-text.ts";
import type { PlaygroundStatus, ProcessState, VolumeRow } from "./status.ts";

/** The space to draw on. */
export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

/** With fewer columns the names of volumes are shortened. */
const fullNameColumns = 100;
const shownEvents = 6;
/** Snapshots of groups have names of 73 characters: beside them is room for the other columns. */
const besideSnapshotName = 60;
const leastSnapshotName = 24;
const mostRows = 8;
/** How much a frame shows, the first that fits: the blank lines go first, then the oldest rows. */
const densities: readonly Density[] = [
  { spaced: true, rowsOf: () => mostRows },
  ...[8, 7, 6, 5, 4, 3, 2, 1].map((rows) => ({ spaced: false, rowsOf: () => rows })),
];
const densest: Density = { spaced: false, rowsOf: () => 1 };
/** Which table gets the lines first that are left then. */
const tables = ["CLAIM", "POD", "VOLUME", "ATTACHED VOLUME", "SNAPSHOT", "GROUP SNAPSHOT", "EVENT"];

/** The live view of a status, cut to fit the frame: as many lines as the frame has rows at most. */
export function draw(status: PlaygroundStatus, frame: Frame): readonly string[] {
  const paint = painter(frame.color);
  const content = contentOf(status, frame);
  const fits = (density: Density) => linesOf(content, density).length <= frame.rows;
  const density = densities.find(fits);
  const lines = linesOf(content, density ? filled(density, fits) : densest);
  return lines.slice(0, Math.max(1, frame.rows)).map((line) => paint(visible(line).slice(0, frame.columns)));
}

interface Content {
  readonly above: readonly string[];
  readonly tables: readonly Table[];
}

interface Table {
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What stands in the place of the rows that there is no room for: nothing where only the newest matter. */
  readonly newestOnly?: boolean;
}

function contentOf(status: PlaygroundStatus, frame: Frame): Content {
  const age = (since: number) => humanDuration(Math.max(0, status.at - since));
  const named = frame.columns < fullNameColumns ? shortened : (name: string) => name;
  const roomForSubject = Math.floor(frame.columns / 4);
  const roomForSnapshot = Math.max(leastSnapshotName, frame.columns - besideSnapshotName);
  const [claims, volumes, attachments] = [oldestFirst(status.claims), oldestFirst(status.volumes), oldestFirst(status.attachments)];
  const [snapshots, groups, pods] = [oldestFirst(status.snapshots), oldestFirst(status.groupSnapshots), oldestFirst(status.pods)];
  const always: readonly Table[] = [
    {
      heading: ["CLAIM", "PHASE", "AGE", "SIZE", "REQUESTED", "ATTRIBUTES", "VOLUME"],
      rows: claims.map((row) => [row.name, row.phase, age(row.since), row.size, row.growth, row.attributes, named(row.volume)]),
    },
    {
      heading: ["VOLUME", "PHASE", "AGE", "SIZE", "TOPOLOGY", "CLAIM", "CONDITION"],
      rows: volumes.map((row) => [named(row.name), row.phase, age(row.since), row.size, row.topology, row.claim, condition(row)]),
    },
    {
      heading: ["ATTACHED VOLUME", "PHASE", "AGE", "NODE", "ZONE"],
      rows: attachments.map((row) => [named(row.volume), row.phase, age(row.since), row.node, row.zone]),
    },
  ];
  /** Not every driver has what would be there. */
  const unlessEmpty: readonly Table[] = [
    {
      heading: ["POD", "PHASE", "AGE", "NODE", "VOLUMES"],
      rows: pods.map((row) => [row.name, row.phase, age(row.since), row.node, row.volumes]),
    },
    {
      heading: ["SNAPSHOT", "PHASE", "AGE", "SIZE", "SOURCE", "GROUP"],
      rows: snapshots.map((row) => [clipped(row.name, roomForSnapshot), row.phase, age(row.since), row.size, row.source, row.group]),
    },
    {
      heading: ["GROUP SNAPSHOT", "PHASE", "AGE", "CLAIMS"],
      rows: groups.map((row) => [row.name, row.phase, age(row.since), row.claims]),
    },
  ];
  const events = status.events
    .slice(-shownEvents)
    .map((row) => [row.reason, age(row.at), clipped(subject(row.about, named), roomForSubject), oneLine(row.message)]);
  return {
    above: [
      ...fold(status.problem ?? "", frame.columns).filter((line) => line !== ""),
      ...processes(status, frame.columns),
      ...status.faults.flatMap((fault) => fold(`FAULT ${fault}`, frame.columns)),
    ],
    tables: [
      ...always,
      ...unlessEmpty.filter(({ rows }) => rows.length > 0),
      { heading: ["EVENT", "AGE", "ABOUT", "MESSAGE"], rows: events, newestOnly: true },
    ],
  };
}

const linesOf = ({ above, tables: all }: Content, density: Density) => [...above, ...all.flatMap((table) => tableLines(table, density))];

interface Density {
  readonly spaced: boolean;
  /** How many lines the rows of a table take at most. */
  readonly rowsOf: (table: string) => number;
}

/** With a line more for each table in turn, as long as all of it fits. */
function filled(density: Density, fits: (density: Density) => boolean): Density {
  if (density.spaced) return density;
  let best = density;
  for (let round = 1; round < mostRows; round++) {
    for (const table of tables) {
      const { rowsOf } = best;
      const larger = { ...best, rowsOf: (name: string) => Math.min(mostRows, rowsOf(name) + (name === table ? 1 : 0)) };
      if (fits(larger)) best = larger;
    }
  }
  return best;
}

const condition = ({ abnormal }: VolumeRow) => abnormal && `Abnormal: ${oneLine(abnormal)}`;

const oldestFirst = <Row extends { readonly since: number }>(rows: readonly Row[]) => rows.toSorted((a, b) => a.since - b.since);

/** kubectl's short names: the message needs the space. */
const kinds: Readonly<Dictionary<string>> = dictionary({
  PersistentVolumeClaim: "pvc",
  PersistentVolume: "pv",
  Pod: "pod",
  Lease: "lease",
  Node: "node",
  VolumeSnapshot: "vs",
  VolumeSnapshotContent: "vsc",
  VolumeGroupSnapshot: "vgs",
  VolumeGroupSnapshotContent: "vgsc",
});

function subject(about: string, named: (name: string) => string): string {
  const [kind = "", name = ""] = about.split("/", 2);
  return `${kinds[kind] ?? kind}/${named(name)}`;
}

/** `pvc-7a1871d7…`: enough to tell one from another. */
const shortened = (name: string) => name.replace(/^(\S+?-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}$/, "$1…");

const clipped = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** As few lines as they fit in. */
function processes({ sidecar, snapshotController, driver }: PlaygroundStatus, columns: number): readonly string[] {
  const memory = sidecar.memory === undefined ? "" : `, ${(sidecar.memory / 1e6).toFixed(0)} MB`;
  const rate = `${sidecar.requestsPerSecond.toFixed(1)} requests/s`;
  // Of the user's own driver only the connection is known: it is not called just to look.
  const volumes = driver.volumes === undefined ? "connected" : counted(driver.volumes, "volume");
  const running = driver.process ? ` ${state(driver.process)}` : "";
  const all = [
    `csi-sidecars ${state(sidecar)}${memory}, ${rate}`,
    ...(snapshotController ? [`snapshot-controller ${state(snapshotController)}`] : []),
    `${driver.name}${running}, ${driver.answers ? volumes : "does not answer"}`,
  ];
  const packed: string[] = [];
  for (const process of all) {
    const longer = [...packed.slice(-1), process].join("   ");
    if (longer.length > columns || packed.length === 0) packed.push(process);
    else packed[packed.length - 1] = longer;
  }
  return packed;
}

const state = ({ pid, restarts }: ProcessState) =>
  `${pid === undefined ? "(down)" : `(pid ${pid})`}${restarts > 0 ? ` ${counted(restarts, "restart")}` : ""}`;

/** Columns that are left out where they are empty. */
const optional = ["REQUESTED", "ATTRIBUTES", "TOPOLOGY", "CONDITION", "ZONE", "GROUP", "VOLUMES"];

/** A heading and rows in columns; the last rows where there are too many, and how many are left out in the place of one. */
function tableLines({ heading, rows, newestOnly = false }: Table, { spaced, rowsOf }: Density): readonly string[] {
  const room = rowsOf(heading[0] ?? "");
  const shown = newestOnly ? rows.slice(-room) : rows.length > room ? rows.slice(rows.length - room + 1) : rows;
  const columns = [...heading.keys()].filter((column) => !optional.includes(heading[column] ?? "") || shown.some((row) => row[column]));
  const width = (column: number) => Math.max(...[heading, ...shown].map((row) => row[column]?.length ?? 0));
  const line = (cells: readonly string[]) =>
    columns
      .map((column) => (cells[column] ?? "").padEnd(width(column)))
      .join("  ")
      .trimEnd();
  const hidden = newestOnly ? 0 : rows.length - shown.length;
  const above = spaced ? [""] : [];
  const rest = shown.length === 0 ? byPhase(rows, heading.indexOf("PHASE")) : `and ${hidden} more`;
  return [...above, line(heading), ...shown.map(line), ...(hidden > 0 ? [rest] : rows.length === 0 ? ["none"] : [])];
}

/** `2 Bound, 1 Pending`: for frames without room for rows. */
function byPhase(rows: readonly (readonly string[])[], phase: number): string {
  const groups = Map.groupBy(rows, (row) => row[phase] ?? "");
  return [...groups].map(([name, { length }]) => `${length} ${name}`).join(", ");
}

const colors: readonly (readonly [RegExp, number])[] = [
  [/^(CLAIM|VOLUME|ATTACHED VOLUME|POD|SNAPSHOT|GROUP SNAPSHOT|EVENT) .*$/, 1],
  [/\b(Bound|Attached|Running|Ready)\b/g, 32],
  [/\b(Pending|Attaching|Detaching|Terminating|Released|Creating|Deleting)\b/g, 33],
  [/\b(Failed|AttachError|DetachError|Error|Lost|infeasible|Abnormal)\b|\(down\)|does not answer|^FAULT .*$/g, 31],
];

function painter(color: boolean): (line: string) => string {
  if (!color) return (line) => line;
  return (line) => colors.reduce((text, [pattern, code]) => text.replace(pattern, (found) => `\x1b[${code}m${found}\x1b[0m`), line);
}
