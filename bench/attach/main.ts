// `npm run bench:attach`: attaching and detaching, ours and upstream's side by side. See bench/README.md.
import { type ControllerSubject, subjectsOf } from "../shared/controller-subject.ts";
import { requestsText } from "../shared/move-results.ts";
import { findPeers, missingText } from "../shared/peers.ts";
import { publishComparison } from "../shared/publish.ts";
import { inTurns } from "../shared/turns.ts";
import { Workbench } from "../shared/workbench.ts";
import { createAttached } from "./fleet.ts";
import { type Moves, measureMoves } from "./measure-moves.ts";
import { measureStanding, type Standing } from "./measure-standing.ts";
import { readOptions } from "./options.ts";
import { type Measured, resultsOf } from "./results.ts";
import { startWorld } from "./world.ts";

const options = readOptions(process.argv.slice(2), process.env);
const { volumes, limitedVolumes, present, idleSeconds, rounds } = options;
const peers = findPeers(["csi-attacher"], process.env);
const missing = missingText(peers);
if (missing) console.error(missing);
const subjects = subjectsOf("attacher", options.dist, peers.found.get("csi-attacher"));

await using bench = new Workbench();
console.error(`starting the ${options.server} API server`);
const users = subjects.length * (3 * rounds + 1) + 1;
const world = await startWorld(bench, options.server, users, Math.max(volumes, limitedVolumes));

const settleSeconds = 5;
const idle = await inTurns(subjects, "idle", rounds, (subject) => measureStanding(world, subject, settleSeconds, idleSeconds));
const moves = await inTurns(subjects, `${volumes} volumes`, rounds, (subject) => measureMoves(world, subject, volumes, "none"));
const limited = await inTurns(subjects, `${limitedVolumes} volumes with default flags`, limitedVolumes > 0 ? 1 : 0, (subject) =>
  measureMoves(world, subject, limitedVolumes, "default"),
);
const beside = await inTurns(
  subjects.filter(({ ours }) => ours).slice(0, 1),
  `${limitedVolumes} volumes with default flags, made beside the attacher`,
  limitedVolumes > 0 ? 1 : 0,
  (subject) => measureMoves(world, subject, limitedVolumes, "default", "provisioner beside"),
);
if (present > 0) {
  console.error(`making ${present} attached volumes`);
  await createAttached(world, present);
}
const crowded = await inTurns(subjects, `${present} attached volumes`, present > 0 ? rounds : 0, (subject) =>
  measureStanding(world, subject, settleSeconds * 2, 0),
);

const measured = subjects.map(
  (subject): Measured => ({
    subject: subject.name,
    ours: subject.ours,
    empty: samplesOf<Standing>(idle, subject),
    moves: samplesOf<Moves>(moves, subject),
    limited: samplesOf<Moves>(limited, subject),
    beside: samplesOf<Moves>(beside, subject),
    present: samplesOf<Standing>(crowded, subject),
  }),
);
const upstream = measured.find(({ ours }) => !ours);
const sizes = { volumes, limitedVolumes, present };
const compared = measured.map((one) => ({ subject: one.subject, results: resultsOf(one, upstream, sizes) }));
const circumstances = { server: options.server, rounds };
publishComparison(circumstances, compared, options.json, {
  missing,
  requests: measured.map(({ subject, moves }) => requestsText(subject, { attach: moves[0]?.attach, detach: moves[0]?.detach })),
});

function samplesOf<T>(samples: ReadonlyMap<ControllerSubject, readonly T[]>, subject: ControllerSubject): readonly T[] {
  return samples.get(subject) ?? [];
}
