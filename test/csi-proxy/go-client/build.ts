// Builds the Go client of the tests from the Go module proxy: `npm run go-client:build`.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What the client is built with, and its modules: a gRPC of today, and one from before Go encoded paths in `:authority`. */
const goModules = { "grpc-go 1.79": "go.mod", "grpc-go 1.38": "grpc-1.38.mod" } as const;
export type GrpcVersion = keyof typeof goModules;
export const grpcVersions = Object.keys(goModules) as readonly GrpcVersion[];

/** Where `npm run go-client:build` puts the client for this machine, built from the present sources. */
export function goClientPath(version: GrpcVersion, env: NodeJS.ProcessEnv): string {
  const sources = createHash("sha256");
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".go") || name === goModules[version]);
  for (const name of names.sort()) sources.update(name).update(readFileSync(join(import.meta.dirname, name)));
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "csi-sidecars", "csi-proxy-go-client");
  return join(cache, sources.digest("hex").slice(0, 12), "go-client");
}

/** Builds the client; the versions and flags of tools/envtest, because what both use is compiled once. */
export function buildGoClient(target: string, version: GrpcVersion, env: NodeJS.ProcessEnv): void {
  const args = ["build", `-modfile=${goModules[version]}`, "-gcflags", "all=-dwarf=false", "-ldflags", "-s -w", "-o", target, "."];
  const { status, stderr, error } = spawnSync("go", args, { cwd: import.meta.dirname, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`go ${args.join(" ")} failed:\n${error?.message ?? stderr}`);
}

if (import.meta.main) {
  if (Bun.which("go") === null) {
    console.error("go-client: Go is not installed");
    process.exit(1);
  }
  for (const version of grpcVersions) {
    const target = goClientPath(version, process.env);
    buildGoClient(target, version, process.env);
    console.log(target);
  }
}
