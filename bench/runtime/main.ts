// `npm run bench:runtime`: memory and effort of the runtime below the sidecars. See bench/README.md.
import { join } from "node:path";
import { compile } from "../shared/compile.ts";
import { publishResults } from "../shared/publish.ts";
import type { Result } from "../shared/result.ts";
import { seedVolumes } from "../shared/seed-volumes.ts";
import { startDriver, startServer } from "../shared/server.ts";
import { attachedVolume } from "../shared/volumes.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureCalls, measureConnection, measureEvents, measureQueue, measureRequests } from "./measure-libraries.ts";
import { growth, measureEmpty, measureIdle, measureKinds, measureMemory, measureStart } from "./measure-memory.ts";
import { readOptions } from "./options.ts";

const options = readOptions(process.argv.slice(2), process.env);
await using bench = new Workbench();
const results: Result[] = [];
const step = async (what: string, measure: () => Promise<Result[]>) => {
  console.error(`measuring ${what}`);
  results.push(...(await measure()));
};
const build = (name: string, variant = "", flags: readonly string[] = []) =>
  compile(join(import.meta.dirname, "subjects", `${name}.ts`), bench.path(name + variant), flags);

console.error("building");
const cache = await build("cache");
const small = await build("cache", "-smol", ["--compile-exec-argv=--smol"]);
const [requests, events, queue, calls, grpcJsCalls, connection] = [
  await build("requests"),
  await build("events"),
  await build("queue"),
  await build("calls"),
  await build("grpc-js-calls"),
  await build("connection"),
];

const driver = await startDriver(bench);
await step("queue", () => measureQueue(bench, queue));
await step("informer events", () => measureEvents(bench, events));
await step("driver connection", () => measureConnection(bench, connection, driver));
await step("gRPC calls", () => measureCalls(bench, { ours: calls, grpcJs: grpcJsCalls }, driver));

console.error(`starting the ${options.server} API server`);
const kubeconfig = await startServer(bench, options.server, process.env);
const around = { kubeconfig, driver, objects: options.objects };
await step(`memory, and making ${options.objects} volumes`, async () => {
  const empty = await measureEmpty(bench, cache, around, 2);
  await seedVolumes(kubeconfig, options.objects);
  const filled = await measureMemory(bench, cache, around, 3);
  return [...empty, ...filled, growth(empty, filled, options.objects), ...(await measureKinds(bench, cache, around, empty))];
});
await step("requests", () => measureRequests(bench, requests, kubeconfig, attachedVolume(0).volume.metadata?.name ?? ""));
await step("start", () => measureStart(bench, cache, around, 5));
await step("memory with --smol", () => measureMemory(bench, small, around, 2, "--smol: "));
await step("idle CPU", () => measureIdle(bench, cache, around, 30));

publishResults({ server: options.server, volumes: options.objects }, results, options.json);
