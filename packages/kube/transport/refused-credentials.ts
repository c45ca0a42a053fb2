import type { ClusterConfig } from "../config/cluster-config.ts";

/** What a user can do about a 401: which credential of which file it was, and how it is mended. */
export function refusedCredentials({ source, server, credentials, tls }: ClusterConfig): string {
  const where = `${server} refused the credentials of ${source}`;
  switch (credentials.kind) {
    case "token":
      return `${where}: the token is expired or unknown there; put a valid one into users[].user.token`;
    case "tokenFile":
      return `${where}: the token in ${credentials.file} is expired or unknown there; renew the file`;
    case "basic":
      return `${where}: user name or password is wrong; check users[].user.username and password`;
    case "exec":
      return `${where}: what ${credentials.plugin.command} printed is not accepted; log in with it again`;
    case "none":
      return tls.clientCertificate
        ? `${where}: the client certificate is expired or signed by an authority the server does not know; renew ${tls.clientCertificate.cert.field}`
        : `${where}: there are none; add a token, a client certificate or an exec plugin to the user`;
  }
}
