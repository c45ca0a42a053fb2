import { type Logger, silentLogger } from "@csi-sidecars/base";
import { GrpcServer, IdentityDefinition, NodeDefinition } from "@csi-sidecars/csi";
import type { CsiProxy } from "@csi-sidecars/csi-proxy";
import { type HostFiles, nodeHostFiles } from "./host-files.ts";
import { identityService } from "./identity-service.ts";
import { nodeService } from "./node-service.ts";
import { OneAtATime } from "./one-at-a-time.ts";

export interface SmbDriverOptions {
  readonly nodeId: string;
  readonly driverName: string;
  /** Windows, as the library has it. */
  readonly proxy: CsiProxy;
  readonly files?: HostFiles;
  readonly log?: Logger;
}

/** What the calls of the driver work with. */
export interface SmbDriver {
  readonly nodeId: string;
  readonly driverName: string;
  readonly proxy: CsiProxy;
  readonly files: HostFiles;
  /** By share while one is staged or unstaged, by path while a volume is published. */
  readonly locks: OneAtATime;
  readonly log: Logger;
}

/** A server with the two services that a node driver has; it does not listen yet. */
export function smbDriverServer({ files = nodeHostFiles, log = silentLogger, ...options }: SmbDriverOptions): GrpcServer {
  const driver: SmbDriver = { ...options, files, log, locks: new OneAtATime() };
  return new GrpcServer({ log }).serve(IdentityDefinition, identityService(driver)).serve(NodeDefinition, nodeService(driver));
}

/** Serves the driver on a socket until it is stopped; calls under way are answered first. */
export async function startSmbDriver({ path, ...options }: SmbDriverOptions & { readonly path: string }) {
  const server = smbDriverServer(options);
  await server.listen({ path });
  return { stop: () => server.shutdown() };
}
