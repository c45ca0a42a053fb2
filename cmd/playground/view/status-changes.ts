import { humanDuration } from "@csi-sidecars/testcluster";
import { oneLine } from "./fold-text.ts";
import type { PlaygroundStatus, ProcessState } from "./status.ts";

/** The differences between two statuses, one line each: the view for pipes and logs. */
export function changes(before: PlaygroundStatus | undefined, after: PlaygroundStatus): readonly string[] {
  const seen = new Set(before?.events.map(({ key }) => key));
  return [
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
    ...rows(before?.snapshots, after.snapshots, {
      who: ({ name }) => `snapshot ${name}`,
      how: ({ phase, source, size, group }) => `${phase} (${source})${size && `, ${size}`}${group && `, of the group ${group}`}`,
    }),
    ...rows(before?.groupSnapshots, after.groupSnapshots, {
      who: ({ name }) => `group snapshot ${name}`,
      how: ({ phase, claims }) => `${phase}${claims && ` (${claims})`}`,
    }),
    ...after.events.filter(({ key }) => !seen.has(key)).map((event) => `${eventLine(event)}${before ? "" : ago(after.at - event.at)}`),
    ...processes("csi-sidecars", before?.sidecar, after.sidecar),
    ...(after.snapshotController ? processes("snapshot-controller", before?.snapshotController, after.snapshotController) : []),
    ...driver(before?.driver, after.driver),
    ...(after.problem && after.problem !== before?.problem ? [after.problem] : []),
  ];
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

function rows<R extends { readonly name: string }>(
  before: readonly R[] = [],
  after: readonly R[],
  { who, how }: RowText<R>,
): readonly string[] {
  const known = new Map(before.map((row) => [row.name, how(row)]));
  const present = new Set(after.map(({ name }) => name));
  return [
    ...after.filter((row) => known.get(row.name) !== how(row)).map((row) => `${who(row)} ${how(row)}`),
    ...before.filter(({ name }) => !present.has(name)).map((row) => `${who(row)} is gone`),
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
