import type { AddressInfo } from "node:net";
import { createServer, type PeerCertificate, type Server, type TLSSocket } from "node:tls";
import { Connection, type Handler, type Peer } from "./connection.ts";

interface TlsListenerOptions {
  readonly port: number;
  readonly certPem: string;
  readonly keyPem: string;
  /** Signs the client certificates that are trusted. */
  readonly caPem: string;
  readonly handle: Handler;
}

/** An open port on loopback. */
export interface TlsListener {
  readonly port: number;
  /** Closes the port. Connections finish the request in progress ("graceful") or are broken at once ("abrupt"). */
  close(how: "graceful" | "abrupt"): Promise<void>;
}

/**
 * HTTP/1.1 over `node:tls`. Bun's own HTTP servers (`Bun.serve`, `node:https`) do not expose the peer's certificate; `node:http` on top of
 * these sockets would, at half the speed and without control over how a connection breaks, which faults need.
 */
export async function listenTls(options: TlsListenerOptions): Promise<TlsListener> {
  const connections = new Set<Connection>();
  let closing = false;
  const server = createServer(
    {
      key: options.keyPem,
      cert: options.certPem,
      ca: options.caPem,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    },
    (socket) => {
      if (closing) return void socket.destroy();
      const connection = new Connection(socket, peerOf(socket), options.handle);
      connections.add(connection);
      socket.on("close", () => connections.delete(connection));
    },
  );
  server.on("tlsClientError", () => {});
  await listening(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    async close(how) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) {
        if (how === "abrupt") connection.cut();
        else connection.end();
      }
      // The port is closed by now; waiting longer would wait for clients that never finish their handshake.
      if (how === "graceful") await closed;
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function peerOf(socket: TLSSocket): Peer {
  const subject: PeerCertificate["subject"] | undefined = socket.getPeerCertificate()?.subject;
  if (!subject) return { certificate: "none" };
  if (!socket.authorized) return { certificate: "untrusted" };
  return { certificate: "trusted", subject: { commonName: [subject.CN].flat()[0] ?? "", organizations: [subject.O ?? []].flat() } };
}
