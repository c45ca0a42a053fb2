import { ConfigError } from "../config/config-error.ts";
import { withoutPassword } from "../config/hidden.ts";
import type { OpenPool, PoolSettings } from "./pool.ts";
import type { TlsSettings } from "./tls-material.ts";

/** As client-go keeps them: at most this many idle connections, for this long. */
const idleConnections = 25;
const idleSeconds = 90;

/**
 * The only file that knows Bun's `fetch`.
 *
 * Bun repeats GET, PUT and DELETE by itself when a connection that was kept open turns out to be closed before any answer came;
 * POST and PATCH fail with ECONNRESET then. A connection that ends in the middle of a body is an error, never a short body.
 */
export const openBunPool: OpenPool = (settings) => {
  const session = new Bun.FetchSession({
    proxy: proxyOption(settings),
    keepAlive: { idleTimeout: idleSeconds, maxIdleSockets: idleConnections },
    ...(settings.tls && { tls: tlsOptions(settings.tls) }),
  });
  return {
    // `timeout: false`: a watch may be silent for longer than Bun's own limit of five minutes.
    fetch: (url, init) => session.fetch(url, Object.assign(init, { timeout: false, redirect: "manual" })),
    close: () => session.close(),
  };
};

function tlsOptions(tls: TlsSettings): Bun.TLSOptions {
  return {
    rejectUnauthorized: !tls.insecure,
    ...(tls.ca && { ca: tls.ca }),
    ...(tls.serverName && { serverName: tls.serverName }),
    ...(tls.clientCertificate && { cert: tls.clientCertificate.cert, key: tls.clientCertificate.key }),
  };
}

/** Bun would read the process's proxy variables by itself; which proxy is used has been decided before. */
function proxyOption({ proxy }: PoolSettings): Bun.FetchProxyOption {
  if (!proxy) return false;
  if (proxy.url.startsWith("socks")) {
    throw new ConfigError(
      `${proxy.from}: ${withoutPassword(proxy.url)}: SOCKS proxies are not supported; use an http:// or https:// proxy`,
    );
  }
  return { url: proxy.url, respectNoProxy: false };
}
