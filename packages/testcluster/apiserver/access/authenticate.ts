import type { User } from "../../rules/authorize.ts";
import type { Exchange } from "../http/exchange.ts";
import { anonymous, authenticated } from "./user.ts";

/** Who is behind a request: a token counts before a certificate. Wrong credentials are nobody's, none at all are the anonymous user's. */
export function authenticate(exchange: Exchange, tokens: ReadonlyMap<string, User>): User | undefined {
  const [, token] = /^bearer +(\S+)/i.exec(exchange.request.headers.get("authorization") ?? "") ?? [];
  if (token !== undefined) return tokens.get(token);
  switch (exchange.peer.certificate) {
    case "trusted":
      return authenticated(exchange.peer.subject.commonName, exchange.peer.subject.organizations);
    case "untrusted":
      return undefined;
    case "none":
      return anonymous;
  }
}
