// `npm run bench:provision`: creating and deleting volumes, ours and upstream's side by side. See bench/README.md.
import { loadavg } from "node:os";
import { type ControllerSubject, subjectsOf } from "../shared/controller-subject.ts";
import { requestsText } from "../shared/move-results.ts";
import { findPeers, missingText } from "../shared/peers.ts";
import { publishComparison } from "../shared/publish.ts";
import { inTurns } from "../shared/turns.ts";
import { Workbench } from "../shared/workbench.ts";
import { type Moves, makeCrowd, measureMoves } from "./measure-moves.ts";
import { readOptions } from "./options.ts";
import { type Measured, resultsOf } from "./results.ts";
import { startWorld } from "./world.ts";

const options = readOptions(process.argv.slice(2), process.env);
const { claims, limitedClaims, present, more, rounds } = options;
const peers = findPeers(["csi-provisioner"], process.env);
const missing = missingText(peers);
if (missing) console.error(missing);
const subjects = subjectsOf("provisioner", options.dist, peers.found.get("csi-provisioner"));

await using bench = new Workbench();
console.error(`starting the ${options.server} API server`);
const loadBefore = loadavg()[0] ?? Number.NaN;
const world = await startWorld(bench, options.server, subjects.length * (3 * rounds + 1) + 1);

type Samples = ReadonlyMap<ControllerSubject, readonly Moves[]>;

const moves = await inTurns(subjects, `${claims} claims`, rounds, (subject) => measureMoves(world, subject, claims, "none"));
const limited = await inTurns(subjects, `${limitedClaims} claims with default flags`, limitedClaims > 0 ? 1 : 0, (subject) =>
  measureMoves(world, subject, limitedClaims, "default"),
);
const growthRounds = present > 0 ? rounds : 0;
const alone = await inTurns(subjects, `${more} claims`, growthRounds, (subject) => measureMoves(world, subject, more, "none"));
if (present > 0) {
  console.error(`making ${present} volumes`);
  await makeCrowd(world, subjects[0], present);
}
const crowded = await inTurns(subjects, `${more} more claims`, growthRounds, (subject) => measureMoves(world, subject, more, "none"));

const measured = subjects.map((subject): Measured => {
  const of = (samples: Samples) => samples.get(subject) ?? [];
  return { subject: subject.name, ours: subject.ours, moves: of(moves), limited: of(limited), alone: of(alone), crowded: of(crowded) };
});
const upstream = measured.find(({ ours }) => !ours);
const sizes = { claims, limitedClaims, present, more };
const compared = measured.map((one) => ({ subject: one.subject, results: resultsOf(one, upstream, sizes) }));
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
const circumstances = { server: options.server, rounds, load };
publishComparison(circumstances, compared, options.json, {
  missing,
  requests: measured.map(({ subject, moves, limited }) =>
    requestsText(subject, {
      create: moves[0]?.create,
      delete: moves[0]?.delete,
      "create with default flags": limited[0]?.create,
      "delete with default flags": limited[0]?.delete,
    }),
  ),
});
