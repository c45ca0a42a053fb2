// `npm run bench:scale`: what a very large cluster costs a process with all components, and what breaks first. See bench/README.md.
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { everything } from "../shared/all-components.ts";
import { readCount } from "../shared/options.ts";
import { defaultDist } from "../shared/programs.ts";
import { publishComparison } from "../shared/publish.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureScale } from "./measure.ts";
import { type Measured, resultsOf } from "./results.ts";
import { startWorld } from "./world.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { volumes: text, nodes: text, pods: text, steps: text, events: text, dist: text, json: text } });
const volumes = readCount("volumes", values.volumes ?? "100000", 1_000, 1_000_000);
const nodes = readCount("nodes", values.nodes ?? "1000", 1, 5_000);
// Each uses a volume, and every tenth volume is used.
const pods = readCount("pods", values.pods ?? String(Math.min(10_000, volumes / 10)), 1, volumes / 10);
// Sizes that are measured, the last of which is the whole.
const steps = readCount("steps", values.steps ?? "4", 1, 10);
// Objects of each kind that somebody else writes, as fast as it goes.
const events = readCount("events", values.events ?? "20000", 1, 100_000);

await using bench = new Workbench();
const registry = bench.path("registry");
mkdirSync(registry);
const subject = everything(values.dist ?? defaultDist, registry);
const loadBefore = loadavg()[0] ?? Number.NaN;
const world = await startWorld(bench, steps);

const measured: Measured[] = [];
for (let step = 1; step <= steps; step++) {
  const part = (whole: number) => Math.ceil((whole * step) / steps);
  const size = { volumes: part(volumes), nodes: part(nodes), pods: part(pods) };
  console.error(`${step}/${steps}: ${size.volumes} volumes`);
  await world.growTo(size);
  measured.push({ size, cost: await measureScale(world, subject, events) });
}
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
publishComparison({ server: "embedded", load }, resultsOf(measured, events), values.json, { missing: undefined });
