// Builds the Go client of the tests from the Go module proxy: `npm run go-client:build`.
import { buildGoProgram, buildGoPrograms, type GoProgram, goProgramPath } from "../../go-program.ts";

/** What the client is built with, and its modules: a gRPC of today, and one from before Go encoded paths in `:authority`. */
const goModules = { "grpc-go 1.79": "go.mod", "grpc-go 1.38": "grpc-1.38.mod" } as const;
export type GrpcVersion = keyof typeof goModules;
export const grpcVersions = Object.keys(goModules) as readonly GrpcVersion[];

function client(version: GrpcVersion): GoProgram {
  return { folder: import.meta.dirname, name: "go-client", cache: "csi-proxy-go-client", module: goModules[version] };
}

/** Where `npm run go-client:build` puts the client for this machine, built from the present sources. */
export function goClientPath(version: GrpcVersion, env: NodeJS.ProcessEnv): string {
  return goProgramPath(client(version), env);
}

export function buildGoClient(target: string, version: GrpcVersion, env: NodeJS.ProcessEnv): void {
  buildGoProgram(client(version), target, env);
}

if (import.meta.main) buildGoPrograms(grpcVersions.map(client));
