import type { TestPair } from "../../../packages/kube/transport/testing/certificates.ts";

/** What a client has sent: one request, complete with its body. */
export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** How many requests came before it on its connection. */
  readonly earlier: number;
  readonly connection: PeerConnection;
}

export interface PeerConnection {
  readonly open: boolean;
  /** Bytes of ours that the client's side does not take. */
  readonly unsentBytes: number;
  write(bytes: string | Uint8Array): void;
  /** Writes the rest and then sends a FIN, with TLS after a close_notify. */
  end(): void;
  /** Sends a RST. */
  reset(): void;
  /** Leaves what the client still sends in the buffers of the operating system. */
  stopReading(): void;
}

export interface RawHttpPeer extends Disposable {
  readonly port: number;
  /** In the order they were accepted. */
  readonly connections: readonly PeerConnection[];
  /** `METHOD /path` of each request, in the order they came. */
  readonly requests: readonly string[];
}

export interface RawHttpPeerOptions {
  readonly tls?: TestPair | undefined;
  /** Called whenever the rest of a request has not arrived yet. */
  readonly onPartial?: (connection: PeerConnection) => void;
  readonly onConnection?: (connection: PeerConnection) => void;
}

/**
 * A server on loopback that reads requests and lets a test write any bytes at any time. Writing is synchronous: the bytes are on their
 * way when `write` returns, however busy the event loop is.
 */
export function rawHttpPeer(onRequest: (request: PeerRequest) => void, options: RawHttpPeerOptions = {}): RawHttpPeer {
  const connections: Connection[] = [];
  const requests: string[] = [];
  const listener = Bun.listen<Connection>({
    hostname: "127.0.0.1",
    port: 0,
    ...(options.tls && { tls: { cert: options.tls.cert, key: options.tls.key } }),
    socket: {
      open(socket) {
        socket.data = new Connection(socket);
        connections.push(socket.data);
        options.onConnection?.(socket.data);
      },
      data(socket, bytes) {
        const connection = socket.data;
        for (const request of connection.read(bytes)) {
          requests.push(`${request.method} ${request.path}`);
          onRequest(request);
        }
        if (connection.hasPartialRequest) options.onPartial?.(connection);
      },
      drain: (socket) => socket.data.flush(),
      end: (socket) => void socket.end(),
      close: ({ data }) => data.closed(),
      error: () => {},
    },
  });
  return {
    port: listener.port,
    connections,
    requests,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

class Connection implements PeerConnection {
  readonly #socket: Bun.Socket<Connection>;
  #partial = Buffer.alloc(0);
  #unsent = Buffer.alloc(0);
  #requests = 0;
  #ending = false;
  open = true;

  constructor(socket: Bun.Socket<Connection>) {
    this.#socket = socket;
  }

  get unsentBytes(): number {
    return this.#unsent.length;
  }

  get hasPartialRequest(): boolean {
    return this.#partial.length > 0;
  }

  /** The requests that are complete now. */
  *read(bytes: Buffer): Generator<PeerRequest> {
    this.#partial = Buffer.concat([this.#partial, bytes]);
    for (;;) {
      const end = this.#partial.indexOf("\r\n\r\n") + 4;
      if (end < 4) return;
      const head = this.#partial.toString("latin1", 0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (this.#partial.length < end + length) return;
      const [method = "", target = ""] = head.split(" ", 2);
      // A proxy gets the whole address.
      const path = target.startsWith("/") ? target : new URL(target).pathname;
      const body = this.#partial.toString("utf8", end, end + length);
      this.#partial = this.#partial.subarray(end + length);
      yield { method, path, body, earlier: this.#requests++, connection: this };
    }
  }

  write(bytes: string | Uint8Array): void {
    this.#unsent = Buffer.concat([this.#unsent, Buffer.from(bytes)]);
    this.flush();
  }

  flush(): void {
    if (this.#unsent.length > 0) this.#unsent = this.#unsent.subarray(Math.max(0, this.#socket.write(this.#unsent)));
    if (this.#ending && this.#unsent.length === 0) this.#socket.end();
  }

  end(): void {
    this.#ending = true;
    this.flush();
  }

  reset(): void {
    this.#socket.terminate();
  }

  stopReading(): void {
    this.#socket.pause();
  }

  closed(): void {
    this.open = false;
    this.#unsent = Buffer.alloc(0);
  }
}
