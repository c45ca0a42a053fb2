// `npm run bench:runtime`: memory and effort of the runtime below the sidecars. See bench/README.md.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readCount, readServerKind } from "../shared/options.ts";
import { compile } from "../shared/programs.ts";
import { publishResults } from "../shared/publish.ts";
import type { Result } from "../shared/result.ts";
import { seedVolumes } from "../shared/seed-volumes.ts";
import { type ServerKind, startDriver, startServer } from "../shared/server.ts";
import { attachedVolume } from "../shared/volumes.ts";
import { Workbench } from "../shared/workbench.ts";
import { measureCalls, measureConnection, measureEvents, measureQueue, measureRequests } from "./measure-libraries.ts";
import { growth, measureEmpty, measureIdle, measureKinds, measureMemory, measureStart } from "./measure-memory.ts";

interface Options {
  /** Volumes, each of them a PersistentVolume, a claim and an attachment. */
  readonly objects: number;
  readonly server: ServerKind;
  readonly json: string | undefined;
}

/** Reads the command line. Throws on what it does not know. */
function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { objects: { type: "string", default: "20000" }, server: { type: "string" }, json: { type: "string" } },
  });
  return { objects: readCount("objects", values.objects, 1), server: readServerKind(values.server, env), json: values.json };
}

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
const environment = { kubeconfig, driver, objects: options.objects };
await step(`memory, and making ${options.objects} volumes`, async () => {
  const empty = await measureEmpty(bench, cache, environment, 2);
  await seedVolumes(kubeconfig, options.objects);
  const filled = await measureMemory(bench, cache, environment, 3);
  return [...empty, ...filled, growth(empty, filled, options.objects), ...(await measureKinds(bench, cache, environment, empty))];
});
await step("requests", () => measureRequests(bench, requests, kubeconfig, attachedVolume(0).volume.metadata?.name ?? ""));
await step("start", () => measureStart(bench, cache, environment, 5));
await step("memory with --smol", () => measureMemory(bench, small, environment, 2, "--smol: "));
await step("idle CPU", () => measureIdle(bench, cache, environment, 30));

publishResults({ server: options.server, volumes: options.objects }, results, options.json);
