import type { ClusterConfig, Credentials } from "../../config/cluster-config.ts";
import type { Credential, CredentialDeps, CredentialSource } from "./credential.ts";
import { ExecSource } from "./exec-source.ts";
import { TokenFileSource } from "./token-file-source.ts";

export function credentialSource(credentials: Credentials, deps: CredentialDeps): CredentialSource {
  switch (credentials.kind) {
    case "none":
      return fixed({});
    case "token":
      return fixed({ authorization: `Bearer ${credentials.token.reveal()}` });
    case "basic": {
      const pair = `${credentials.username}:${credentials.password.reveal()}`;
      return fixed({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });
    }
    case "tokenFile":
      return new TokenFileSource(credentials, deps);
    case "exec":
      return new ExecSource(credentials.plugin, deps);
  }
}

function fixed(credential: Credential): CredentialSource {
  return { current: () => credential, renew: () => credential, close() {} };
}

/** The log message about a 401: which credential of which file it was, and what to do about it. */
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
