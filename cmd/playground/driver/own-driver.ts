import { statSync } from "node:fs";
import { connect } from "node:net";
import { resolve } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { Channel, Code, type DriverClient, driverClient, GrpcError } from "@csi-sidecars/csi";
import { firstNode } from "../cluster/nodes.ts";
import { UserError } from "../user-error.ts";
import { type Driver, type DriverInfo, readDriverInfo } from "./driver.ts";

/** How long a driver may take to answer a call. */
const timeoutMs = 4_000;

/** Connects to the user's own driver and reads its capabilities. It is never stopped. */
export async function connectOwnDriver(given: string, signal: AbortSignal): Promise<Driver> {
  const socket = await checkSocket(given, signal);
  const channel = new Channel({ target: { kind: "unix", path: socket } });
  const client = driverClient(channel);
  let info: DriverInfo;
  let asked = "";
  const asking = (rpc: string) => {
    asked = rpc;
  };
  try {
    info = await readDriverInfo(client, {
      timeoutMs,
      signal: AbortSignal.any([signal, AbortSignal.timeout(2 * timeoutMs)]),
      asking,
    });
  } catch (error) {
    channel.close();
    if (signal.aborted) throw error;
    throw new UserError(`--driver: ${socket} ${describeFailure(asked, error)}`);
  }
  if (info.name === "") {
    channel.close();
    throw new UserError(`--driver: the driver at ${socket} reports no name (GetPluginInfo)`);
  }
  return {
    info,
    socket,
    client,
    // It runs on the first node only; the others get their name as node ID.
    nodeInfo: ({ name }) => (name === firstNode && info.node) || { id: name, segments: info.node?.segments ?? {}, limit: 0 },
    health: async () => ({ answers: channel.state.phase === "ready" }),
    volumeIds: async () => (info.lists ? listVolumeIds(client) : undefined),
    [Symbol.asyncDispose]: async () => channel.close(),
  };
}

function describeFailure(asked: string, error: unknown): string {
  if (!(error instanceof GrpcError)) return `is not ready: ${messageOf(error)}`;
  if (error.code === Code.DeadlineExceeded) return `did not answer ${asked} within ${timeoutMs / 1000} s`;
  return `failed ${asked}: ${messageOf(error)}`;
}

async function listVolumeIds({ controller }: DriverClient): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let startingToken = "";
  do {
    const { entries, nextToken } = await controller.listVolumes({ startingToken }, { timeoutMs });
    for (const { volume } of entries) if (volume) ids.add(volume.volumeId);
    startingToken = nextToken;
  } while (startingToken !== "");
  return ids;
}

/** The absolute path of a socket that is listened on. Throws a {@link UserError} otherwise. */
async function checkSocket(given: string, signal: AbortSignal): Promise<string> {
  if (/^(tcp|dns):/.test(given) || /^[^/]+:\d+$/.test(given))
    throw new UserError(`--driver takes the path of a Unix socket, not ${JSON.stringify(given)}`);
  const path = resolve(given.replace(/^unix:(\/\/)?/, ""));
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UserError(`--driver: ${path} does not exist; start your driver first, or pass the path of its socket`);
  if (!found.isSocket()) throw new UserError(`--driver: ${path} is a ${found.isDirectory() ? "folder" : "file"}, not a socket`);
  await tryConnect(path, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (systemErrorCode(error) === "ECONNREFUSED") throw new UserError(`--driver: nothing listens on ${path}; is your driver running?`);
    throw new UserError(`--driver: cannot connect to ${path} (${systemErrorCode(error) ?? messageOf(error)})`);
  });
  return path;
}

function tryConnect(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ path, signal });
    socket.once("error", failed);
    socket.once("connect", () => {
      socket.destroy();
      done();
    });
  });
}
