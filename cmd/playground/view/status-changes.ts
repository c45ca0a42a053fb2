import { visible } from "@csi-sidecars/base";
import { humanDuration } from "@csi-sidecars/testcluster";
import { oneLine } from "./fold-text.ts";
import type { PlaygroundStatus, ProcessState } from "./status.ts";

/**
 * The differences between two statuses, one line each: the view for pipes and logs. They are in the order of cause and effect: what
 * happens to the programs, what is new and not yet done, what was said of it, and what has become of it.
 */
export function changes(before: PlaygroundStatus | undefined, after: PlaygroundStatus): readonly string[] {
  const seen = new Set(before?.events.map(({ key }) => key));
  const objects = [
    ...rows(before?.claims, after.claims, {
      who: ({ name }) => `claim ${name}`,
      how: ({ phase, volume, size, growth, attributes }) =>
        `${phase}${volume && ` (${volume})`}, ${size}${growth && `, requested ${growth}`}${attributes && `, attributes ${attributes}`}`,
    }),
    ...rows(before?.volumes, after.volumes, {
      who: ({ name }) => `volume ${name}`,
      how: ({ phase, claim, topology, size, abnormal }) =>
        `${phase}${claim && ` (${claim})`}${topology && ` in ${topology}`}, ${size}${abnormal && `, abnormal: ${oneLine(abnormal)}`}`,
    }),
    ...rows(before?.attachments, after.attachments, {
      who: ({ volume, node }) => `attachment ${volume} on ${node}`,
      how: ({ phase }) => phase,
    }),
    ...rows(before?.pods, after.pods, {
      who: ({ name }) => `pod ${name}`,
      how: ({ phase, node, volumes }) => `${phase}${node && ` on ${node}`}${volumes && `, volumes ${volumes}`}`,
    }),
    ...rows(before?.snapshots, after.snapshots, {
      who: ({ name }) => `snapshot ${name}`,
      how: ({ phase, source, size, group }) => `${phase} (${source})${size && `, ${size}`}${group && `, of the group ${group}`}`,
    }),
    ...rows(before?.groupSnapshots, after.groupSnapshots, {
      who: ({ name }) => `group snapshot ${name}`,
      how: ({ phase, claims }) => `${phase}${claims && ` (${claims})`}`,
    }),
  ];
  const events = after.events.filter(({ key }) => !seen.has(key));
  return [
    ...(after.problem && after.problem !== before?.problem ? [after.problem] : []),
    ...after.faults.filter((fault) => !before?.faults.includes(fault)).map((fault) => `fault ${fault}`),
    ...(before?.faults ?? []).filter((fault) => !after.faults.includes(fault)).map((fault) => `fault over: ${fault.split(":")[0]}`),
    ...processes("csi-sidecars", before?.sidecar, after.sidecar),
    ...(after.snapshotController ? processes("snapshot-controller", before?.snapshotController, after.snapshotController) : []),
    ...driver(before?.driver, after.driver),
    ...objects.filter(({ begins }) => begins).map(({ line }) => line),
    ...events.map((event) => `${eventLine(event)}${before ? "" : ago(after.at - event.at)}`),
    ...objects.filter(({ begins }) => !begins).map(({ line }) => line),
  ].map(visible);
}

const eventLine = ({ warning, reason, about, message }: PlaygroundStatus["events"][number]) =>
  `${warning ? "warning" : "event"} ${reason} ${about}: ${oneLine(message)}`;

const isOldMs = 10_000;

/** Events of a kept cluster may be old. */
const ago = (ms: number) => (ms < isOldMs ? "" : ` (${humanDuration(ms)} ago)`);

interface RowText<R> {
  readonly who: (row: R) => string;
  readonly how: (row: R) => string;
}

interface ChangedObject {
  readonly line: string;
  /** It is new, and what it is for is still to be done. */
  readonly begins: boolean;
}

const beginnings: ReadonlySet<string> = new Set(["Pending", "Attaching", "Creating"]);

function rows<R extends { readonly name: string; readonly phase: string }>(
  before: readonly R[] = [],
  after: readonly R[],
  { who, how }: RowText<R>,
): readonly ChangedObject[] {
  const known = new Map(before.map((row) => [row.name, how(row)]));
  const present = new Set(after.map(({ name }) => name));
  return [
    ...after
      .filter((row) => known.get(row.name) !== how(row))
      .map((row) => ({ line: `${who(row)} ${how(row)}`, begins: !known.has(row.name) && beginnings.has(row.phase) })),
    ...before.filter(({ name }) => !present.has(name)).map((row) => ({ line: `${who(row)} is gone`, begins: false })),
  ];
}

/** Of the user's own driver only the connection is known. */
function driver(before: PlaygroundStatus["driver"] | undefined, { name, process, answers }: PlaygroundStatus["driver"]): readonly string[] {
  if (process) return processes("driver", before?.process, process);
  if (before?.answers === answers) return [];
  return [`driver ${name} ${answers ? "answers" : "does not answer"}`];
}

function processes(name: string, before: ProcessState | undefined, after: ProcessState): readonly string[] {
  if (before && before.pid === after.pid) return [];
  return [after.pid === undefined ? `${name} is down` : `${name} runs as process ${after.pid}`];
}
