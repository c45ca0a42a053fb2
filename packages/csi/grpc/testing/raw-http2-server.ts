import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** One HTTP/2 frame as it was on the wire. */
export interface RawFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The HTTP/2 frame types and flags that scripts use. */
export const frame = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
  ack: 1,
  endStream: 1,
  endHeaders: 4,
  padded: 8,
} as const;

/** Header fields in order; values that are bytes go as they are. */
export type HeaderList = readonly (readonly [name: string, value: string | Uint8Array])[];

/** One accepted connection of a {@link rawHttp2Server}. */
export interface RawConnection {
  readonly socket: Socket;
  send(type: number, flags: number, streamId: number, payload?: Uint8Array): void;
  /** A HEADERS frame, and CONTINUATION frames where the list is too long for one. */
  headers(streamId: number, list: HeaderList, endStream?: boolean): void;
  rst(streamId: number, code: number): void;
  goaway(lastStreamId: number, code: number): void;
}

export interface RawScript {
  /** `false` leaves the client without the server's SETTINGS: a peer that accepts and then says nothing. */
  readonly greet?: boolean;
  readonly onFrame?: (frame: RawFrame, connection: RawConnection) => void;
}

const prefaceLength = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length;

/**
 * A server that speaks HTTP/2 frames by hand, for what no well-behaved server does: broken framing, refused streams,
 * GOAWAY in the middle of a call, silence.
 */
export async function rawHttp2Server(
  path: string,
  script: RawScript,
): Promise<{ readonly connections: RawConnection[]; close(): Promise<void> }> {
  const connections: RawConnection[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    const connection = connectionOn(socket);
    connections.push(connection);
    if (script.greet !== false) connection.send(frame.settings, 0, 0);
    socket.on(
      "data",
      frameReader((read) => {
        if (read.type === frame.settings && !(read.flags & frame.ack) && script.greet !== false)
          connection.send(frame.settings, frame.ack, 0);
        if (read.type === frame.ping && !(read.flags & frame.ack)) connection.send(frame.ping, frame.ack, 0, read.payload);
        script.onFrame?.(read, connection);
      }),
    );
  });
  server.listen(path);
  await once(server, "listening");
  return {
    connections,
    async close() {
      for (const { socket } of connections) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Takes what a peer sends, in whatever pieces, and tells of each frame. Clients begin with a preface, servers do not. */
export function frameReader(onFrame: (read: RawFrame) => void, from: "client" | "server" = "client"): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let greeted = from === "server";
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    if (!greeted && rest.length >= prefaceLength) {
      rest = rest.subarray(prefaceLength);
      greeted = true;
    }
    while (greeted && rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const length = rest.readUIntBE(0, 3);
      const read = { type: rest[3]!, flags: rest[4]!, streamId: rest.readUInt32BE(5), payload: rest.subarray(9, 9 + length) };
      rest = rest.subarray(9 + length);
      onFrame(read);
    }
  };
}

/** Writes frames to a socket. */
export function connectionOn(socket: Socket): RawConnection {
  const send = (type: number, flags: number, streamId: number, payload: Uint8Array = new Uint8Array()) => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(streamId, 5);
    socket.write(Buffer.concat([head, payload]));
  };
  return {
    socket,
    send,
    headers(streamId, list, endStream = false) {
      const block = headerBlock(list);
      for (let at = 0; at < block.length; at += maxFrameLength) {
        const last = at + maxFrameLength >= block.length ? frame.endHeaders : 0;
        const [type, flags] = at === 0 ? [frame.headers, endStream ? frame.endStream : 0] : [frame.continuation, 0];
        send(type, flags | last, streamId, block.subarray(at, at + maxFrameLength));
      }
    },
    rst: (streamId, code) => send(frame.rstStream, 0, streamId, uint32(code)),
    goaway: (lastStreamId, code) => send(frame.goaway, 0, 0, Buffer.concat([uint32(lastStreamId), uint32(code)])),
  };
}

const maxFrameLength = 16_384;

/** Header fields as HPACK "literal header field without indexing". */
export function headerBlock(list: HeaderList): Buffer {
  return Buffer.concat(
    list.map(([name, value]) =>
      name === ":status" && value === "200" ? Buffer.of(0x88) : Buffer.concat([Buffer.of(0), text(name), text(value)]),
    ),
  );
}

function text(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string);
  const length: number[] = [Math.min(bytes.length, 0x7f)];
  if (bytes.length >= 0x7f) {
    let rest = bytes.length - 0x7f;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) length.push(0x80 | (rest % 0x80));
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** A number as frames hold it. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** One entry of a SETTINGS frame. */
export function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.of(id >> 8, id & 0xff), uint32(value)]);
}
