// `npm run bench:health`: what it costs to know how volumes are, ours and upstream's side by side. See bench/README.md.
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { everything } from "../shared/all-components.ts";
import { measureIdle } from "../shared/measure-idle.ts";
import { readControllerOptions } from "../shared/options.ts";
import { findPeers, missingText } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { inRotation, samplesOf } from "../shared/rounds.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureLists, measureReports } from "./measure-lists.ts";
import { measureNodeStorm } from "./measure-node-storm.ts";
import { measureSingle } from "./measure-single.ts";
import { everythingResults, type Measured, resultsOf } from "./results.ts";
import { healthMonitors, peerName } from "./subjects.ts";
import { createPods, createVolumes, startWorld } from "./world.ts";

const options = readControllerOptions(process.argv.slice(2), process.env, {
  // Volumes that are bound, attached and known to the driver.
  present: [20_000, 1_000, 100_000],
  // How often the driver is asked for all of them, and the pause in between.
  lists: [10, 4],
  "list-pause-seconds": [2, 1],
  // Volumes that become abnormal; 0 leaves that out.
  abnormal: [100, 0, 20_000],
  // `--monitor-interval` with a driver that is asked for one volume at a time; 0 leaves that out.
  "interval-seconds": [20, 0],
  // Nodes that are deleted, and claims of the pods on them; 0 leaves that out.
  nodes: [100, 0, 200],
  claims: [1_000, 0, 10_000],
  "idle-seconds": [15, 1],
  rounds: [1, 1],
});
const { present, lists, listPauseSeconds, abnormal, intervalSeconds, nodes, claims, idleSeconds, rounds } = options;
const peers = findPeers([peerName], process.env);
const missing = missingText(peers);
if (missing) console.error(missing);

await using bench = new Workbench();
const registry = bench.path("registry");
mkdirSync(registry);
const all = everything(options.dist, registry);
const subjects = healthMonitors(options.dist, peers.found.get(peerName));
const [allInOne] = subjects;
// The two forms of ours differ in what they hold, not in what they do.
const compared = subjects.filter((subject) => subject === allInOne || !subject.ours);

console.error(`starting the ${options.server} API server`);
const loadBefore = loadavg()[0] ?? Number.NaN;
const world = await startWorld(bench, options.server, (subjects.length + 1) * 7 * rounds);

const settleSeconds = 5;
const empty = await inRotation([...subjects, all], "idle", rounds, (subject) => measureIdle(world, subject, settleSeconds, idleSeconds));
console.error(`making ${present} volumes`);
await createVolumes(world, present);
const crowded = await inRotation([...compared, all], `${present} volumes`, rounds, (subject) =>
  measureIdle(world, subject, settleSeconds * 2, 0),
);
const listed = await inRotation([...compared, all], `${lists} lists`, rounds, (subject) =>
  measureLists(world, subject, lists, listPauseSeconds),
);
const reported = await inRotation(compared, `${abnormal} abnormal volumes`, abnormal > 0 ? rounds : 0, (subject) =>
  measureReports(world, subject, abnormal, listPauseSeconds),
);
const single = await inRotation(compared, "one by one", intervalSeconds > 0 ? rounds : 0, (subject) =>
  measureSingle(world, subject, intervalSeconds),
);
const isStorm = nodes > 0 && claims > 0;
if (isStorm) await createPods(world, claims, nodes);
// Upstream's does not survive the deletion of a node.
const storm = await inRotation([allInOne], `${nodes} nodes deleted`, isStorm ? rounds : 0, (subject) =>
  measureNodeStorm(world, subject, nodes),
);

const measured = subjects.map(
  (subject): Measured => ({
    subject: subject.name,
    ours: subject.ours,
    empty: samplesOf(empty, subject),
    present: samplesOf(crowded, subject),
    lists: samplesOf(listed, subject),
    reports: samplesOf(reported, subject),
    single: samplesOf(single, subject),
    storm: samplesOf(storm, subject),
  }),
);
const upstream = measured.find(({ ours }) => !ours);
const sizes = { present, lists, abnormal, intervalSeconds, nodes, claims };
const ofAll = { subject: all.name, empty: samplesOf(empty, all), present: samplesOf(crowded, all), lists: samplesOf(listed, all) };
const results = [
  ...measured.map((one) => ({ subject: one.subject, results: resultsOf(one, upstream, sizes) })),
  { subject: all.name, results: everythingResults(ofAll, sizes) },
];
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
publishComparison({ server: options.server, rounds, load }, results, options.json, { missing });
