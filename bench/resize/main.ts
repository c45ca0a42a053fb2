// `npm run bench:resize`: growing and modifying volumes, ours and upstream's side by side. See bench/README.md.
import { loadavg } from "node:os";
import { subjectsOf } from "../shared/controller-subject.ts";
import { measureIdle } from "../shared/measure-idle.ts";
import { requestsText } from "../shared/operation-results.ts";
import { readControllerOptions } from "../shared/options.ts";
import { findPeers, missingText } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { inRotation, samplesOf } from "../shared/rounds.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureAfterRefusal, withoutInUseHandling } from "./measure-in-use.ts";
import { measureNodeExpansion, measureResize } from "./measure-resize.ts";
import { type Measured, resultsOf } from "./results.ts";
import { createClaims, createPods, startWorld } from "./world.ts";

const options = readControllerOptions(process.argv.slice(2), process.env, {
  // Grown and modified without a client-side limit, and with default flags; 0 leaves the latter out.
  volumes: [1000, 1, 10_000],
  "limited-volumes": [100, 0, 10_000],
  // Volumes that there are in all at the end, and pods that run beside them; as many as are grown leaves that out.
  present: [20_000, 0, 100_000],
  pods: [10_000, 0, 100_000],
  "idle-seconds": [30, 1],
  rounds: [3, 1],
});
const { volumes, limitedVolumes, idleSeconds, rounds } = options;
const moved = Math.max(volumes, limitedVolumes);
// Pods use volumes that stay as they are.
const present = options.present > moved ? options.present : 0;
const pods = Math.min(options.pods, Math.max(present - moved, 0));
const peers = findPeers(["csi-resizer"], process.env);
const missing = missingText(peers);
if (missing) console.error(missing);
const subjects = subjectsOf("resizer", options.dist, peers.found.get("csi-resizer"));

await using bench = new Workbench();
console.error(`starting the ${options.server} API server`);
const loadBefore = loadavg()[0] ?? Number.NaN;
const world = await startWorld(bench, options.server, subjects.length * (6 * rounds + 2) + 1, moved);

const settleSeconds = 5;
const empty = await inRotation(subjects, "idle", rounds, (subject) => measureIdle(world, subject, settleSeconds, idleSeconds));
console.error(`making ${moved} volumes`);
await createClaims(world, 0, moved);
const unlimited = await inRotation(subjects, `${volumes} volumes`, rounds, (subject) => measureResize(world, subject, volumes, "none"));
const nodeExpansion = await inRotation(subjects, `${volumes} volumes that nodes expand too`, 1, (subject) =>
  measureNodeExpansion(world, subject, volumes),
);
const limited = await inRotation(subjects, `${limitedVolumes} volumes with default flags`, limitedVolumes > 0 ? 1 : 0, (subject) =>
  measureResize(world, subject, limitedVolumes, "default"),
);
if (present > 0) {
  console.error(`making ${present - moved} more volumes and ${pods} pods`);
  await createClaims(world, moved, present);
  await createPods(world, pods, moved);
}
const beside = `${present} volumes and ${pods} pods`;
const crowdedRounds = present > 0 ? rounds : 0;
const started = await inRotation(subjects, beside, crowdedRounds, (subject) => measureIdle(world, subject, settleSeconds * 2, 0));
const withoutInUse = await inRotation(subjects, `${beside}, no in-use handling`, crowdedRounds, (subject) =>
  measureIdle(world, withoutInUseHandling(subject), settleSeconds * 2, 0),
);
const afterRefusal = await inRotation(subjects, `${beside}, after a refusal`, crowdedRounds, (subject) =>
  measureAfterRefusal(world, subject),
);
const crowded = await inRotation(subjects, `${volumes} of ${beside}`, crowdedRounds, (subject) =>
  measureResize(world, subject, volumes, "none"),
);

const measured = subjects.map(
  (subject): Measured => ({
    subject: subject.name,
    ours: subject.ours,
    empty: samplesOf(empty, subject),
    unlimited: samplesOf(unlimited, subject),
    limited: samplesOf(limited, subject),
    nodeExpansion: samplesOf(nodeExpansion, subject),
    present: samplesOf(started, subject),
    withoutInUse: samplesOf(withoutInUse, subject),
    afterRefusal: samplesOf(afterRefusal, subject),
    crowded: samplesOf(crowded, subject),
  }),
);
const upstream = measured.find(({ ours }) => !ours);
const sizes = { volumes, limitedVolumes, present, pods };
const compared = measured.map((one) => ({ subject: one.subject, results: resultsOf(one, upstream, sizes) }));
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
publishComparison({ server: options.server, rounds, load }, compared, options.json, {
  missing,
  requests: measured.map(({ subject, unlimited, limited, nodeExpansion }) =>
    requestsText(subject, {
      grow: unlimited[0]?.grow,
      modify: unlimited[0]?.modify,
      "grow, nodes expand too": nodeExpansion[0],
      "grow with default flags": limited[0]?.grow,
      "modify with default flags": limited[0]?.modify,
    }),
  ),
});
