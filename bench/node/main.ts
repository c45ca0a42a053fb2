// `npm run bench:node`: what livenessprobe and node-driver-registrar take on every node, next to upstream's. See bench/README.md.
import { mkdirSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { readCount } from "../shared/options.ts";
import { defaultDist, findPeers, missingText } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { medianResult, megabytes, type Result } from "../shared/result.ts";
import { startDriver } from "../shared/server.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureNode, type NodeSample } from "./measure-node.ts";
import { peerNames, type Subject, subjectsOf } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    probes: { type: "string", default: "500" },
    rounds: { type: "string", default: "3" },
    "idle-seconds": { type: "string", default: "20" },
    dist: { type: "string", default: defaultDist },
    json: { type: "string" },
  },
});
const probes = readCount("probes", values.probes, 1);
const rounds = readCount("rounds", values.rounds, 1);
const idleSeconds = readCount("idle-seconds", values["idle-seconds"], 1);
const peers = findPeers(peerNames, process.env);
const missing = missingText(peers);
if (missing) console.error(missing);

await using bench = new Workbench();
const registry = bench.path("registry");
const environment = { csiAddress: await startDriver(bench), registry, endpoint: `127.0.0.1:${await freePort()}` };
const samples = new Map(subjectsOf(values.dist, peers, environment).map((subject) => [subject, [] as NodeSample[]]));
for (let round = 1; round <= rounds; round++) {
  for (const [subject, found] of samples) {
    console.error(`${round} of ${rounds}: ${subject.name}`);
    rmSync(registry, { recursive: true, force: true });
    mkdirSync(registry);
    found.push(await measureNode(bench, subject, environment, probes, idleSeconds));
  }
}

const compared = [...samples].map(([subject, found]) => ({ subject: subject.name, results: resultsOf(subject, found) }));
publishComparison({ rounds }, compared, values.json, { missing });

function resultsOf({ ours, commands }: Subject, found: readonly NodeSample[]): readonly Result[] {
  const budget = ours && commands.length === 1 ? { atMost: 36 } : undefined;
  const column = (what: string, unit: string, value: (sample: NodeSample) => number, limit?: Result["budget"]) =>
    medianResult(what, unit, found.map(value), limit);
  return [
    column("RSS, idle", "MB", ({ idle }) => megabytes(idle), budget),
    column("of it not backed by a file", "MB", ({ idleAnonymous }) => megabytes(idleAnonymous)),
    column(`RSS, after ${probes} probes`, "MB", ({ probed }) => megabytes(probed), budget),
    column("of it then not backed by a file", "MB", ({ probedAnonymous }) => megabytes(probedAnonymous)),
    column("RSS, peak", "MB", ({ peak }) => megabytes(peak)),
    column("CPU per probe", "ms", ({ cpuMsPerProbe }) => cpuMsPerProbe),
    column("CPU, idle, per minute", "s", ({ idleCpuSecondsPerMinute }) => idleCpuSecondsPerMinute),
  ];
}
