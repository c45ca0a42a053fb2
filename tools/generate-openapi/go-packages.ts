import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageSources } from "./message-fields.ts";

/** The Go packages whose types the kinds are made of, by module. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "k8s.io/api": ["apps", "authentication", "authorization", "batch", "coordination", "core", "events", "policy", "rbac", "storage"].map(
    (group) => `${group}/v1`,
  ),
  "k8s.io/apimachinery": ["pkg/apis/meta/v1", "pkg/api/resource", "pkg/runtime", "pkg/util/intstr"],
};

/** Reads the sources of the modules that `tools/envtest` builds the control plane from. */
export function goPackages(): readonly PackageSources[] {
  return Object.entries(packages).flatMap(([module, folders]) => {
    const root = moduleFolder(module);
    return folders.map((folder) => sourcesIn(join(root, folder)));
  });
}

function moduleFolder(module: string): string {
  const listed = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", module], {
    cwd: join(import.meta.dirname, "../envtest"),
    encoding: "utf8",
  });
  const folder = listed.stdout?.trim();
  if (listed.status !== 0 || !folder)
    throw new Error(`go list -m ${module}: ${listed.stderr ?? listed.error}; run \`npm run envtest\` first (needs Go)`);
  return folder;
}

function sourcesIn(folder: string): PackageSources {
  const typeFiles = readdirSync(folder).filter(
    (name) => /^(types|time|micro_time|quantity|intstr)\w*\.go$/.test(name) && !/_test|_swagger/.test(name),
  );
  return {
    proto: readFileSync(join(folder, "generated.proto"), "utf8"),
    types: typeFiles.map((name) => readFileSync(join(folder, name), "utf8")).join("\n"),
  };
}
