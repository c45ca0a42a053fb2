import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { until } from "../../e2e/testing/until.ts";

/** The common name of the certificate that a new handshake gets. */
export async function servedName(port: number): Promise<string> {
  await using client = await connectTo(port);
  return client.serverName;
}

/** A connection on which a test writes HTTP byte by byte. */
export class RawClient implements AsyncDisposable {
  readonly #socket: TLSSocket;
  readonly #closed = Promise.withResolvers<void>();
  #received = "";

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("close", () => this.#closed.resolve());
    socket.on("error", () => undefined);
    socket.setEncoding("utf8").on("data", (text: string) => {
      this.#received += text;
    });
  }

  get serverName(): string {
    const { CN } = this.#socket.getPeerCertificate().subject;
    return typeof CN === "string" ? CN : "";
  }

  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Takes nothing of what the server sends, until it is resumed. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async receives(text: string): Promise<void> {
    await until(`"${text}" in what was received`, () => this.#received.includes(text)).catch((error) => {
      throw new Error(`${error.message}; received ${JSON.stringify(this.#received)}`);
    });
  }

  /** Resolves when the server has ended the connection. */
  async ends(): Promise<void> {
    await this.#closed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.#closed.promise;
  }
}

export async function connectTo(port: number): Promise<RawClient> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2", "http/1.1"] });
  await once(socket, "secureConnect");
  return new RawClient(socket);
}
