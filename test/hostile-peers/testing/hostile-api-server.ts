import { type Clock, systemClock } from "@csi-sidecars/base";
import type { TlsConfig } from "@csi-sidecars/kube";
import type { Credentials } from "../../../packages/kube/config/cluster-config.ts";
import { SecretString } from "../../../packages/kube/config/secret-string.ts";
import { openBunPool } from "../../../packages/kube/transport/bun-transport.ts";
import { connect } from "../../../packages/kube/transport/connect.ts";
import { type TestPair, testAuthority } from "../../../packages/kube/transport/testing/certificates.ts";
import { configFor } from "../../../packages/kube/transport/testing/expectations.ts";
import type { Transport, TransportRequest } from "../../../packages/kube/transport/transport.ts";
import { type PeerRequest, type RawHttpPeer, type RawHttpPeerOptions, rawHttpPeer } from "./raw-http-peer.ts";

const authority = await testAuthority();
/** For 127.0.0.1. */
export const pair: TestPair = await authority.issue("server");
const trusting: TlsConfig = { insecure: false, ca: { field: "certificate-authority-data", pem: new SecretString(authority.pem) } };

export interface HostileApiServer extends Disposable {
  readonly peer: RawHttpPeer;
  readonly url: string;
  readonly transport: Transport;
  /** Sends a request and reads its body: `status body`. */
  ask(path: string, more?: Partial<TransportRequest>): Promise<string>;
}

export interface HostileApiServerOptions extends Omit<RawHttpPeerOptions, "tls"> {
  readonly tls?: boolean;
  readonly clock?: Clock;
  /** Sends everything through a proxy: to the proxy all requests look like those to the server. */
  readonly proxied?: boolean;
  readonly maxBodyBytes?: number;
  readonly credentials?: Credentials;
}

/** A server that misbehaves as `onRequest` says, and the transport that ships, connected to it. */
export function hostileApiServer(onRequest: (request: PeerRequest) => void, options: HostileApiServerOptions = {}): HostileApiServer {
  const { tls = false, clock = systemClock, proxied = false, maxBodyBytes, credentials, ...more } = options;
  const peer = rawHttpPeer(onRequest, { ...more, tls: tls ? pair : undefined });
  const address = `127.0.0.1:${peer.port}`;
  const url = proxied ? "http://api-server.example" : `${tls ? "https" : "http"}://${address}`;
  const config = configFor(url, {
    ...(tls && { tls: trusting }),
    ...(credentials && { credentials }),
    ...(proxied && { proxy: { url: `http://${address}`, from: "a test" } }),
  });
  const transport = connect(config, {
    userAgent: "test/v1",
    clock,
    openPool: (settings) => openBunPool({ ...settings, ...(maxBodyBytes !== undefined && { maxBodyBytes }) }),
  });
  return {
    peer,
    url,
    transport,
    async ask(path, request) {
      const response = await transport.request({ method: "GET", path, timeoutMs: 60_000, ...request });
      return `${response.status} ${await response.text()}`;
    },
    [Symbol.dispose]() {
      transport.close();
      peer[Symbol.dispose]();
    },
  };
}

/** A response as it should be. */
export function wellFormed(body: string, status = "200 OK"): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
