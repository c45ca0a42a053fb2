// `npm run bench:snapshot`: taking and deleting snapshots, ours and upstream's side by side. See bench/README.md.
import { loadavg } from "node:os";
import { type ControllerSubject, subjectsOf } from "../shared/controller-subject.ts";
import { measureIdle } from "../shared/measure-idle.ts";
import { requestsText } from "../shared/operation-results.ts";
import { readControllerOptions } from "../shared/options.ts";
import { findPeers, missingText, ourProgram } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { inRotation, samplesOf } from "../shared/rounds.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureFirstCall, measurePair, measureSidecar, type SubjectPair } from "./measure-snapshots.ts";
import { type MeasuredPair, type MeasuredSidecar, pairResults, sidecarResults } from "./results.ts";
import { createTakenContents, startWorld } from "./world.ts";

const options = readControllerOptions(process.argv.slice(2), process.env, {
  // Taken and deleted without a client-side limit, and with default flags; 0 leaves the latter out.
  snapshots: [1000, 1, 10_000],
  "limited-snapshots": [100, 0, 10_000],
  // Contents that there are in all at the end; 0 leaves that out.
  present: [20_000, 0, 100_000],
  "idle-seconds": [30, 1],
  rounds: [3, 1],
});
const { snapshots, limitedSnapshots, present, idleSeconds, rounds } = options;
const peers = findPeers(["csi-snapshotter", "snapshot-controller"], process.env);
const missing = missingText(peers);
if (missing) console.error(missing);
const peerSidecar = peers.found.get("csi-snapshotter");
const peerController = peers.found.get("snapshot-controller");
const subjects = subjectsOf("snapshotter", options.dist, peerSidecar);

const controllerOf = (program: string, ours: boolean): ControllerSubject => ({
  name: "snapshot-controller",
  program,
  ours,
  args: [],
  driver: false,
});
const upstream = subjects.find(({ ours }) => !ours);
const pairs: readonly [SubjectPair, ...SubjectPair[]] = [
  {
    name: "ours, with the controller",
    ours: true,
    sidecar: subjects[0],
    controller: controllerOf(ourProgram(options.dist, "snapshot-controller"), true),
  },
  ...(upstream && peerController
    ? [{ name: "upstream, with the controller", ours: false, sidecar: upstream, controller: controllerOf(peerController, false) }]
    : []),
];

await using bench = new Workbench();
console.error(`starting the ${options.server} API server`);
const loadBefore = loadavg()[0] ?? Number.NaN;
const users = subjects.length * (4 * rounds + 1) + pairs.length * rounds * 2;
const world = await startWorld(bench, options.server, users, Math.max(snapshots, limitedSnapshots));

const settleSeconds = 5;
const empty = await inRotation(subjects, "idle", rounds, (subject) => measureIdle(world, subject, settleSeconds, idleSeconds));
const unlimited = await inRotation(subjects, `${snapshots} snapshots`, rounds, (subject) =>
  measureSidecar(world, subject, snapshots, "none"),
);
const withController = await inRotation(pairs, `${snapshots} snapshots of claims`, rounds, (pair) => measurePair(world, pair, snapshots));
const limited = await inRotation(subjects, `${limitedSnapshots} snapshots with default flags`, limitedSnapshots > 0 ? 1 : 0, (subject) =>
  measureSidecar(world, subject, limitedSnapshots, "default"),
);
if (present > 0) {
  console.error(`making ${present} contents`);
  await createTakenContents(world, world.nextBatch(), present);
}
const crowdedRounds = present > 0 ? rounds : 0;
const started = await inRotation(subjects, `${present} contents`, crowdedRounds, (subject) =>
  measureIdle(world, subject, settleSeconds * 2, 0),
);
const firstCall = await inRotation(subjects, `one more than ${present} contents`, crowdedRounds, (subject) =>
  measureFirstCall(world, subject),
);

const measured = subjects.map(
  (subject): MeasuredSidecar => ({
    subject: subject.name,
    ours: subject.ours,
    empty: samplesOf(empty, subject),
    unlimited: samplesOf(unlimited, subject),
    limited: samplesOf(limited, subject),
    present: samplesOf(started, subject),
    firstCallMs: samplesOf(firstCall, subject),
  }),
);
const measuredPairs = pairs.map(
  (pair): MeasuredPair => ({ subject: pair.sidecar.name, ours: pair.ours, costs: samplesOf(withController, pair) }),
);
const sizes = { snapshots, limitedSnapshots, present };
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
const peer = measured.find(({ ours }) => !ours);
const peerPair = measuredPairs.find(({ ours }) => !ours);
const compared = measured.map((one) => {
  const pair = measuredPairs.find(({ subject }) => subject === one.subject);
  return {
    subject: one.subject,
    results: [...sidecarResults(one, peer, sizes), ...(pair ? pairResults(pair, peerPair, sizes) : [])],
  };
});
publishComparison({ server: options.server, rounds, load }, compared, options.json, {
  missing,
  requests: [
    ...measured.map(({ subject, unlimited, limited }) =>
      requestsText(subject, {
        take: unlimited[0]?.take,
        delete: unlimited[0]?.delete,
        "take with default flags": limited[0]?.take,
        "delete with default flags": limited[0]?.delete,
      }),
    ),
    ...measuredPairs.map(({ subject, costs }) =>
      requestsText(`${subject}, with the controller`, { take: costs[0]?.take, delete: costs[0]?.delete }),
    ),
  ],
});
