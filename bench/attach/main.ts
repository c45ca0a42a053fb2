// `npm run bench:attach`: attaching and detaching, ours and upstream's side by side. See bench/README.md.
import { subjectsOf } from "../shared/controller-subject.ts";
import { measureIdle } from "../shared/measure-idle.ts";
import { requestsText } from "../shared/operation-results.ts";
import { readControllerOptions } from "../shared/options.ts";
import { findPeers, missingText } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { inRotation, samplesOf } from "../shared/rounds.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureAttachDetach } from "./measure-attach-detach.ts";
import { type Measured, resultsOf } from "./results.ts";
import { createAttached, startWorld } from "./world.ts";

const options = readControllerOptions(process.argv.slice(2), process.env, {
  // Attached and detached without a client-side limit, and with default flags; 0 leaves the latter out.
  volumes: [1000, 1],
  "limited-volumes": [100, 0],
  // Attachments that are there when a subject starts; 0 leaves that out.
  present: [20_000, 0],
  "idle-seconds": [30, 1],
  rounds: [3, 1],
});
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
const idle = await inRotation(subjects, "idle", rounds, (subject) => measureIdle(world, subject, settleSeconds, idleSeconds));
const unlimited = await inRotation(subjects, `${volumes} volumes`, rounds, (subject) =>
  measureAttachDetach(world, subject, volumes, "none"),
);
const limited = await inRotation(subjects, `${limitedVolumes} volumes with default flags`, limitedVolumes > 0 ? 1 : 0, (subject) =>
  measureAttachDetach(world, subject, limitedVolumes, "default"),
);
const beside = await inRotation(
  subjects.filter(({ ours }) => ours).slice(0, 1),
  `${limitedVolumes} volumes with default flags, made beside the attacher`,
  limitedVolumes > 0 ? 1 : 0,
  (subject) => measureAttachDetach(world, subject, limitedVolumes, "default", "in the same process"),
);
if (present > 0) {
  console.error(`making ${present} attached volumes`);
  await createAttached(world, present);
}
const crowded = await inRotation(subjects, `${present} attached volumes`, present > 0 ? rounds : 0, (subject) =>
  measureIdle(world, subject, settleSeconds * 2, 0),
);

const measured = subjects.map(
  (subject): Measured => ({
    subject: subject.name,
    ours: subject.ours,
    empty: samplesOf(idle, subject),
    unlimited: samplesOf(unlimited, subject),
    limited: samplesOf(limited, subject),
    beside: samplesOf(beside, subject),
    present: samplesOf(crowded, subject),
  }),
);
const upstream = measured.find(({ ours }) => !ours);
const sizes = { volumes, limitedVolumes, present };
const compared = measured.map((one) => ({ subject: one.subject, results: resultsOf(one, upstream, sizes) }));
const circumstances = { server: options.server, rounds };
publishComparison(circumstances, compared, options.json, {
  missing,
  requests: measured.map(({ subject, unlimited }) => requestsText(subject, { attach: unlimited[0]?.attach, detach: unlimited[0]?.detach })),
});
