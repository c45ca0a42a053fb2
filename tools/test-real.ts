// Runs the tests that use a cluster against a real kube-apiserver: `npm run test:real`. The same files run on the embedded one in `npm test`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
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

const files = [...new Bun.Glob("{cmd,components,packages,test}/**/*.test.ts").scanSync(root)].filter((file) => usesCluster(file)).sort();
/** Whether the file, or a relative import of it, starts a cluster. */
function usesCluster(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  if (/(?<!function )\bstartCluster\(/.test(readFileSync(join(root, file), "utf8"))) return true;
  return importsOf(root, file).some(({ specifier, target }) => specifier.startsWith(".") && target && usesCluster(target, seen));
}

if (files.length === 0) {
  console.error("test:real: no test uses a cluster");
  process.exit(1);
}

const args = ["test", "--timeout", "60000", "--preload", "./test/stop-shared-clusters.ts"];
const run = spawnSync(process.execPath, [...args, ...files.map((file) => `./${file}`), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TESTCLUSTER: "real" },
});
process.exit(run.status ?? 1);
