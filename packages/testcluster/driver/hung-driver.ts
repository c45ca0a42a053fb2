import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { GrpcServer, type ServiceHandlers } from "@csi-sidecars/csi";
import { services } from "./methods.ts";

/**
 * How a driver hangs: `silent` accepts connections and sends nothing, not even the settings of HTTP/2, as a process that is stopped;
 * `greets` has connections like any other and answers no call, as one whose threads wait for each other.
 */
export type HungDriver = "silent" | "greets";

/** A driver on a unix socket that hangs until the end of the block. The socket of a driver that was killed is replaced. */
export async function startHungDriver(socket: string, how: HungDriver): Promise<AsyncDisposable> {
  await rm(socket, { force: true });
  return how === "silent" ? acceptOnly(socket) : answerNothing(socket);
}

async function acceptOnly(path: string): Promise<AsyncDisposable> {
  const peers = new Set<Socket>();
  const server = createServer((peer) => {
    peers.add(peer);
    peer.on("error", () => {}).once("close", () => peers.delete(peer));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  return {
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answerNothing(path: string): Promise<AsyncDisposable> {
  const server = new GrpcServer();
  for (const service of services) {
    const hang = Object.keys(service.methods).map((method) => [method, () => new Promise<never>(() => {})]);
    server.serve(service, Object.fromEntries(hang) as ServiceHandlers<typeof service>);
  }
  await server.listen({ path });
  return { [Symbol.asyncDispose]: () => server.kill() };
}
