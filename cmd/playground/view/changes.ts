import type { Picture } from "./picture.ts";

/** What is different from one picture to the next, a line each: the view for pipes and logs. */
export function changes(before: Picture | undefined, after: Picture): readonly string[] {
  const seen = new Set(before?.events.map(({ key }) => key));
  return [
    ...rows("claim", before?.claims, after.claims, ({ name, phase, volume }) => `${name} ${phase}${volume && ` (${volume})`}`),
    ...rows(
      "volume",
      before?.volumes,
      after.volumes,
      ({ name, phase, claim, topology }) => `${name} ${phase}${claim && ` (${claim})`}${topology && ` in ${topology}`}`,
    ),
    ...rows("attachment", before?.attachments, after.attachments, ({ volume, node, phase }) => `${volume} on ${node} ${phase}`),
    ...after.events
      .filter(({ key }) => !seen.has(key))
      .map(
        ({ warning, reason, about, message }) => `${warning ? "warning" : "event"} ${reason} ${about}: ${message.replaceAll("\n", " ")}`,
      ),
    ...processes("csi-sidecars", before?.sidecar, after.sidecar),
    ...driver(before?.driver, after.driver),
    ...(after.problem && after.problem !== before?.problem ? [after.problem] : []),
  ];
}

function rows<R extends { readonly name: string }>(
  kind: string,
  before: readonly R[] = [],
  after: readonly R[],
  tell: (row: R) => string,
): readonly string[] {
  const told = new Map(before.map((row) => [row.name, tell(row)]));
  const present = new Set(after.map(({ name }) => name));
  return [
    ...after.map(tell).filter((line, i) => told.get(after[i]?.name ?? "") !== line),
    ...before.filter(({ name }) => !present.has(name)).map(({ name }) => `${name} is gone`),
  ].map((line) => `${kind} ${line}`);
}

/** Of somebody's own driver only its connection is known. */
function driver(before: Picture["driver"] | undefined, { name, process, answers }: Picture["driver"]): readonly string[] {
  if (process) return processes("driver", before?.process, process);
  if (before?.answers === answers) return [];
  return [`driver ${name} ${answers ? "answers" : "does not answer"}`];
}

type Process = Pick<Picture["sidecar"], "pid">;

function processes(name: string, before: Process | undefined, after: Process): readonly string[] {
  if (before && before.pid === after.pid) return [];
  return [after.pid === undefined ? `${name} is down` : `${name} runs as process ${after.pid}`];
}
