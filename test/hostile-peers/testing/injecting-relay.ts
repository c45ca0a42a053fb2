import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { connectionOn, frame, frameReader, type RawConnection } from "../../../packages/csi/grpc/testing/raw-http2-server.ts";

/** A relay in front of a driver that can also speak for it. */
export interface InjectingRelay extends AsyncDisposable {
  /** Calls `send` with the newest connection and the stream of the newest call on it. */
  inject(send: (connection: RawConnection, streamId: number) => void): void;
}

/** In front of a unix socket, at another path. */
export async function startInjectingRelay(target: string, path: string): Promise<InjectingRelay> {
  const sockets = new Set<Socket>();
  let newest: { readonly connection: RawConnection; streamId: number } | undefined;
  const server = createServer((client) => {
    const upstream = createConnection({ path: target });
    const call = { connection: connectionOn(client), streamId: 0 };
    newest = call;
    const follow = frameReader(({ type, streamId }) => {
      if (type === frame.headers) call.streamId = streamId;
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.on("data", (bytes: Buffer) => {
        if (from === client) follow(bytes);
        to.write(bytes);
      });
    }
  });
  server.listen(path);
  await once(server, "listening");
  return {
    inject(send) {
      if (!newest?.streamId) throw new Error("no call was made");
      send(newest.connection, newest.streamId);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
