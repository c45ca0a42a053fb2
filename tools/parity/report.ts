import type { Review, WaitingChange } from "./review.ts";

/** A review in lines: what waits, grouped by upstream's changelog entry, and why it fails. */
export function reportLines({ controller, waiting, failures }: Review): readonly string[] {
  const groups = [...Map.groupBy(waiting, ({ group }) => group)];
  const state = waiting.length === 0 ? "nothing waits" : `${waiting.length} waiting`;
  return [
    `${controller}: ${state}`,
    ...groups.flatMap(([group, changes]) => [`  ${group}`, ...changes.map((change) => `    ${line(change)}`)]),
    ...failures.map((failure) => `  FAIL ${failure}`),
  ];
}

function line({ commit, date, pull, state, security, ageDays }: WaitingChange): string {
  return [commit.slice(0, 10), date, ...(pull ? [`#${pull}`] : []), state, `${ageDays} days`, ...(security ? ["vulnerability"] : [])].join(
    "  ",
  );
}
