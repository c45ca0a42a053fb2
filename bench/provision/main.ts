// `npm run bench:provision`: creating and deleting volumes, ours and upstream's side by side. See bench/README.md.
import { loadavg } from "node:os";
import { subjectsOf } from "../shared/controller-subject.ts";
import { requestsText } from "../shared/operation-results.ts";
import { readControllerOptions } from "../shared/options.ts";
import { findPeers, missingText } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { inRotation, samplesOf } from "../shared/rounds.ts";
import { Workbench } from "../shared/workbench.ts";
import { createExistingVolumes, measureCreateDelete } from "./measure-create-delete.ts";
import { type Measured, resultsOf } from "./results.ts";
import { startWorld } from "./world.ts";

const options = readControllerOptions(process.argv.slice(2), process.env, {
  // Provisioned and deleted without a client-side limit, and with default flags; 0 leaves the latter out.
  claims: [1000, 1, 10_000],
  "limited-claims": [100, 0, 10_000],
  // Volumes that are there when more are asked for, and how many more; 0 leaves that out.
  present: [5000, 0, 20_000],
  more: [500, 1, 10_000],
  // After which memory is read once more, without and with volumes that were there before; 0 leaves that out.
  "quiet-seconds": [60, 0, 600],
  rounds: [1, 1, 100],
});
const { claims, limitedClaims, present, more, quietSeconds, rounds } = options;
const peers = findPeers(["csi-provisioner"], process.env);
const missing = missingText(peers);
if (missing) console.error(missing);
const [allInOne, ...individual] = subjectsOf("provisioner", options.dist, peers.found.get("csi-provisioner"));
const both = "--controllers=attacher,provisioner";
const withAttacher = { ...allInOne, name: `csi-sidecars ${both}`, args: [both] };
const subjects = [allInOne, withAttacher, ...individual];

await using bench = new Workbench();
console.error(`starting the ${options.server} API server`);
const loadBefore = loadavg()[0] ?? Number.NaN;
const world = await startWorld(bench, options.server, subjects.length * (3 * rounds + 1) + 1);

const unlimited = await inRotation(subjects, `${claims} claims`, rounds, (subject) =>
  measureCreateDelete(world, subject, claims, "none", quietSeconds),
);
const limited = await inRotation(subjects, `${limitedClaims} claims with default flags`, limitedClaims > 0 ? 1 : 0, (subject) =>
  measureCreateDelete(world, subject, limitedClaims, "default"),
);
const growthRounds = present > 0 ? rounds : 0;
const alone = await inRotation(subjects, `${more} claims`, growthRounds, (subject) => measureCreateDelete(world, subject, more, "none"));
if (present > 0) {
  console.error(`making ${present} volumes`);
  await createExistingVolumes(world, allInOne, present);
}
const crowded = await inRotation(subjects, `${more} more claims`, growthRounds, (subject) =>
  measureCreateDelete(world, subject, more, "none", quietSeconds),
);

const measured = subjects.map(
  (subject): Measured => ({
    subject: subject.name,
    ours: subject.ours,
    unlimited: samplesOf(unlimited, subject),
    limited: samplesOf(limited, subject),
    alone: samplesOf(alone, subject),
    crowded: samplesOf(crowded, subject),
  }),
);
const upstream = measured.find(({ ours }) => !ours);
const sizes = { claims, limitedClaims, present, more, quietSeconds };
const compared = measured.map((one) => ({ subject: one.subject, results: resultsOf(one, upstream, sizes) }));
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
const circumstances = { server: options.server, rounds, load };
publishComparison(circumstances, compared, options.json, {
  missing,
  requests: measured.map(({ subject, unlimited, limited }) =>
    requestsText(subject, {
      create: unlimited[0]?.create,
      delete: unlimited[0]?.delete,
      "create with default flags": limited[0]?.create,
      "delete with default flags": limited[0]?.delete,
    }),
  ),
});
