import { Channel, type ChannelOptions, type GrpcError } from "@csi-sidecars/csi";
import { frameMessage } from "../../../packages/csi/grpc/framing.ts";
import { callUnary } from "../../../packages/csi/grpc/invoke.ts";
import {
  frame,
  type HeaderList,
  type RawConnection,
  type RawFrame,
  rawHttp2Server,
} from "../../../packages/csi/grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../../../packages/csi/grpc/testing/temp-socket.ts";

/** What a hostile server does with a request. */
export type Answer = (connection: RawConnection, streamId: number) => void;

/** The headers of a gRPC response. */
export const grpcHeaders: HeaderList = [
  [":status", "200"],
  ["content-type", "application/grpc"],
];

/** A status as trailers hold it. */
export function status(code: string, message?: string | Uint8Array): HeaderList {
  return message === undefined
    ? [["grpc-status", code]]
    : [
        ["grpc-status", code],
        ["grpc-message", message],
      ];
}

/** The message of every good answer, framed. */
export const framed = frameMessage(new TextEncoder().encode("answer"));

/** A good answer. */
export const ok: Answer = (connection, id) => {
  connection.headers(id, grpcHeaders);
  connection.send(frame.data, 0, id, framed);
  connection.headers(id, status("0"), true);
};

export interface HostileOptions {
  /** The n-th request of the whole server gets the n-th answer, the last one again and again. */
  readonly answers: readonly Answer[];
  readonly onFrame?: (frame: RawFrame, connection: RawConnection) => void;
  readonly channel?: Partial<ChannelOptions>;
}

/** Our client, connected to a server that answers as it is told. */
export async function hostileGrpcServer({ answers, onFrame, channel: options }: HostileOptions) {
  const socket = await tempSocket();
  let requests = 0;
  const server = await rawHttp2Server(socket.path, {
    onFrame(read, connection) {
      onFrame?.(read, connection);
      if (read.type === frame.headers) answers[Math.min(requests++, answers.length - 1)]?.(connection, read.streamId);
    },
  });
  const channel = new Channel({ target: { kind: "unix", path: socket.path }, ...options });
  return {
    server,
    channel,
    requests: () => requests,
    /** The text of the answer, or who failed and how. */
    call: (options: object = {}): Promise<string> =>
      callUnary(channel, "/test.Test/Call", new Uint8Array(), { waitForReady: true, ...options }).then(
        (bytes) => new TextDecoder().decode(bytes),
        (error: GrpcError) => `${error.origin}: ${error.codeName}: ${error.details}`,
      ),
    async [Symbol.asyncDispose]() {
      channel.close();
      await server.close();
      await socket[Symbol.asyncDispose]();
    },
  };
}
