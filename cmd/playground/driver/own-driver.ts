import { messageOf } from "@csi-sidecars/base";
import { Channel, Code, type DriverClient, driverClient, GrpcError } from "@csi-sidecars/csi";
import { firstNode } from "../cluster/planned-nodes.ts";
import { Refusal } from "../refusal.ts";
import { checkSocket } from "./check-socket.ts";
import type { Driver } from "./driver.ts";
import { askDriver, type DriverFacts } from "./driver-facts.ts";

/** How long a driver may take for an answer. */
const patienceMs = 4_000;

/** Meets somebody's own driver: asks it what it can do, and never stops it. */
export async function meetOwnDriver(given: string, signal: AbortSignal): Promise<Driver> {
  const socket = await checkSocket(given, signal);
  const channel = new Channel({ target: { kind: "unix", path: socket } });
  const client = driverClient(channel);
  let facts: DriverFacts;
  let asked = "";
  const asking = (rpc: string) => {
    asked = rpc;
  };
  try {
    facts = await askDriver(client, {
      timeoutMs: patienceMs,
      signal: AbortSignal.any([signal, AbortSignal.timeout(2 * patienceMs)]),
      asking,
    });
  } catch (error) {
    channel.close();
    if (signal.aborted) throw error;
    throw new Refusal(`--driver: ${socket} ${complaint(asked, error)}`);
  }
  if (facts.name === "") {
    channel.close();
    throw new Refusal(`--driver: the driver at ${socket} tells no name (GetPluginInfo)`);
  }
  return {
    facts,
    socket,
    // Nodes beyond its own it can only know by their name.
    nodeFacts: ({ name }) => (name === firstNode && facts.node) || { id: name, segments: facts.node?.segments ?? {}, limit: 0 },
    look: async () => ({ answers: channel.state.phase === "ready" }),
    volumeIds: async () => (facts.lists ? listed(client) : undefined),
    [Symbol.asyncDispose]: async () => channel.close(),
  };
}

function complaint(asked: string, error: unknown): string {
  if (!(error instanceof GrpcError)) return `is not ready: ${messageOf(error)}`;
  if (error.code === Code.DeadlineExceeded) return `gives no answer to ${asked} within ${patienceMs / 1000} s`;
  return `answers ${asked} unlike a CSI driver (${messageOf(error)})`;
}

async function listed({ controller }: DriverClient): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let startingToken = "";
  do {
    const { entries, nextToken } = await controller.listVolumes({ startingToken }, { timeoutMs: patienceMs });
    for (const { volume } of entries) if (volume) ids.add(volume.volumeId);
    startingToken = nextToken;
  } while (startingToken !== "");
  return ids;
}
