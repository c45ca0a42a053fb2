import { expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";
import { type Relay, startRelay, startSocketRelay } from "./relay.ts";

interface Front extends AsyncDisposable {
  readonly relay: Relay;
  /** The server's ends of the connections. */
  readonly served: readonly Socket[];
  connect(): Promise<Peer>;
}

interface Peer {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: () => boolean;
}

/** A relay in front of a server that answers every byte with itself. */
const kinds: readonly (readonly [string, () => Promise<Front>])[] = [
  [
    "TCP",
    () =>
      front(
        (server) => server.listen(0, "127.0.0.1"),
        (server) => startRelay(`http://127.0.0.1:${portOf(server)}`),
      ),
  ],
  [
    "a unix socket",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "relay-"));
      const path = join(folder, "server.sock");
      const remove = () => rmSync(folder, { recursive: true, force: true });
      return front(
        (server) => server.listen(path),
        () => startSocketRelay(path, join(folder, "relay.sock")),
        remove,
      );
    },
  ],
];

async function front(listen: (server: Server) => void, relayTo: (server: Server) => Promise<Relay>, end = () => {}): Promise<Front> {
  await using started = new AsyncDisposableStack();
  const served: Socket[] = [];
  const server = createServer((socket) => {
    served.push(socket);
    socket.on("error", () => {}).on("data", (bytes) => socket.write(bytes));
  });
  listen(server);
  await once(server, "listening");
  started.defer(end);
  started.defer(() => {
    for (const socket of served) socket.destroy();
    server.close();
  });
  const relay = started.use(await relayTo(server));
  const running = started.move();
  return {
    relay,
    served,
    connect: () => connectTo(addressOf(relay)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function connectTo(address: NetConnectOpts): Promise<Peer> {
  const socket = createConnection(address);
  let received = "";
  let closed = false;
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    received += bytes;
  });
  socket.on("close", () => {
    closed = true;
  });
  await until("a connection", () => !socket.connecting);
  return { socket, received: () => received, closed: () => closed };
}

const portOf = (server: Server) => (server.address() as { port: number }).port;

function addressOf({ address }: Relay): NetConnectOpts {
  return address.startsWith("/") ? { path: address } : { host: "127.0.0.1", port: Number(new URL(address).port) };
}

test.each(kinds)("%s: what is sent while it is frozen arrives afterwards, on old and on new connections", async (_, start) => {
  await using world = await start();
  const old = await world.connect();
  old.socket.write("before ");
  await until("an answer", () => old.received() === "before ");
  world.relay.freeze();
  const fresh = await world.connect();
  old.socket.write("held");
  fresh.socket.write("new");
  const witness = await world.connect();
  witness.socket.end();
  expect([old.received(), fresh.received(), world.served.length]).toEqual(["before ", "", 1]);
  world.relay.thaw();
  await until("the answers", () => old.received() === "before held" && fresh.received() === "new");
});

test.each(kinds)("%s: the end of a connection is held as well", async (_, start) => {
  await using world = await start();
  const client = await world.connect();
  client.socket.write("x");
  await until("an answer", () => client.received() === "x");
  world.relay.freeze();
  let ended = false;
  world.served[0]?.on("close", () => {
    ended = true;
  });
  client.socket.destroy();
  await until("the client closed", client.closed);
  expect(ended).toBe(false);
  world.relay.thaw();
  await until("the server noticed", () => ended);
});

test.each(kinds)("%s: cut breaks connections, close refuses new ones, open accepts them again", async (_, start) => {
  await using world = await start();
  const first = await world.connect();
  world.relay.cut();
  await until("the first is cut", first.closed);
  const second = await world.connect();
  second.socket.write("x");
  await until("an answer", () => second.received() === "x");
  await world.relay.close();
  await until("the second is cut", second.closed);
  const refused = createConnection(addressOf(world.relay));
  await once(refused, "error");
  await world.relay.open();
  const third = await world.connect();
  third.socket.write("y");
  await until("an answer", () => third.received() === "y");
});
