import { mkdtemp, readdir, readFile, realpath, rm, statfs, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Channel, type DriverClient, driverClient, type GrpcServer } from "@csi-sidecars/csi";
import { createCsiProxy, type Executor } from "@csi-sidecars/csi-proxy";
import { FolderPaths, SimulatedHost } from "@csi-sidecars/csi-proxy/testing";
import { smbDriverServer } from "../driver.ts";
import type { HostFiles } from "../host-files.ts";
import { lineLogger } from "../line-logger.ts";

/** The driver on a simulated host. Files are those of a folder, in which `C` is all of this machine's disk or a folder of its own. */
export interface DriverWorld extends AsyncDisposable {
  readonly host: SimulatedHost;
  readonly client: DriverClient;
  readonly server: GrpcServer;
  readonly files: HostFiles;
  readonly socket: string;
  readonly folder: string;
  /** Starts another process of the driver on the same node, for as long as the world lives. */
  startDriver(executor: Executor): Promise<DriverClient>;
  /** All that was logged, at the highest verbosity. */
  log(): string;
}

export interface WorldOptions {
  /** Lets the driver see the paths of this machine as those of drive C, as csi-sanity needs it. */
  readonly isDriveRoot?: boolean;
  /** Adds services to the server before it listens. */
  readonly adding?: (server: GrpcServer) => void;
}

export async function startWorld({ isDriveRoot = false, adding }: WorldOptions = {}): Promise<DriverWorld> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "smb-driver-")));
  const hostRoot = join(folder, "drives");
  if (isDriveRoot) {
    await Bun.write(join(hostRoot, ".made"), "");
    await symlink("/", join(hostRoot, "C"));
  }
  const paths = new FolderPaths(hostRoot);
  const host = new SimulatedHost({ paths });
  const lines: string[] = [];
  const log = lineLogger((line) => lines.push(line), 9);
  const files = folderFiles(hostRoot, paths);
  const open = new AsyncDisposableStack();
  open.defer(() => rm(folder, { recursive: true, force: true }));

  const serve = async (executor: Executor, socket: string) => {
    const proxy = createCsiProxy({ executor, hostRoot, log });
    open.defer(() => proxy.close());
    const server = smbDriverServer({ nodeId: "node-1", driverName: "smb.example.com", proxy, files, log });
    adding?.(server);
    await server.listen({ path: socket });
    open.defer(() => server.shutdown());
    const channel = new Channel({ target: { kind: "unix", path: socket } });
    open.defer(() => channel.close());
    return { server, client: driverClient(channel) };
  };
  const socket = join(folder, "csi.sock");
  const { server, client } = await serve(host, socket);
  const startDriver = async (executor: Executor) => (await serve(executor, join(folder, "other.sock"))).client;
  return {
    ...{ host, server, socket, folder, files, client, startDriver, log: () => lines.join("") },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The driver's files in the folder of a simulated host. */
function folderFiles(hostRoot: string, paths: FolderPaths): HostFiles {
  const local = (path: string) => join(hostRoot, path.charAt(0).toUpperCase(), ...path.slice(2).split("\\"));
  return {
    async readlink(path) {
      const entry = paths.entry(path);
      return entry?.kind === "symlink" ? entry.target : undefined;
    },
    list: (path) => readdir(local(path)).catch(() => []),
    read: (path) => readFile(local(path), "utf8").catch(() => undefined),
    write: (path, text) => writeFile(local(path), text),
    async usage() {
      const { bsize, blocks, bavail } = await statfs(hostRoot, { bigint: true });
      return { total: blocks * bsize, used: (blocks - bavail) * bsize, available: bavail * bsize };
    },
  };
}
