// Runs the tests that use a cluster against a real kube-apiserver: `npm run test:real`. The same files run on the embedded one in `npm test`.
// Arguments that begin with `./` are the files or folders to run, all others are Bun's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { findAssets } from "../packages/testcluster/real/assets.ts";
import { importsOf } from "../test/architecture/imports.ts";

const root = join(import.meta.dirname, "..");
try {
  findAssets(process.env);
} catch (error) {
  console.error(`test:real: ${messageOf(error)}`);
  process.exit(1);
}

const { paths = [], flags = [] } = Object.groupBy(process.argv.slice(2), (each) => (each.startsWith("./") ? "paths" : "flags"));
const isChosen = (file: string) => paths.length === 0 || paths.some((path) => `./${file}`.startsWith(path));
const files = [...new Bun.Glob("{cmd,components,packages,test}/**/*.test.ts").scanSync(root)]
  .filter((file) => isChosen(file) && usesCluster(file))
  .sort();
/** Whether the file, or a relative import of it, starts a cluster. */
function usesCluster(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  if (/(?<!function )\bstart(Cluster|ComponentWorld)\(/.test(readFileSync(join(root, file), "utf8"))) return true;
  return importsOf(root, file).some(({ specifier, target }) => specifier.startsWith(".") && target && usesCluster(target, seen));
}

if (files.length === 0) {
  console.error(`test:real: no test ${paths.length > 0 ? `in ${paths.join(", ")} ` : ""}uses a cluster`);
  process.exit(1);
}

// Most tests wait: two processes take half the time. Each has control planes of its own, which end with it (`--no-orphans`), because Bun
// tells a process only the end of a file, not that it was the last one; their folders are removed here.
const args = ["test", "--timeout", "60000", "--parallel=2", "--no-isolate", "--no-orphans", "--preload", "./test/stop-shared-clusters.ts"];
const folder = mkdtempSync(join(tmpdir(), "real-"));
const run = spawn(process.execPath, [...args, ...files.map((file) => `./${file}`), ...flags], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TESTCLUSTER: "real", TMPDIR: folder },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => run.kill(signal));
const [code] = await once(run, "exit");
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(code ?? 1);
