import type { User } from "../../rules/authorize.ts";
import { unauthorized } from "../../rules/status.ts";
import type { Exchange } from "../http/exchange.ts";
import { anonymous, authenticated } from "./user.ts";

/** Who is behind a request: a token counts before a certificate. Wrong credentials are a 401, none at all is the anonymous user. */
export function authenticate(exchange: Exchange, tokens: ReadonlyMap<string, User>): User {
  const header = exchange.request.headers.get("authorization");
  if (header !== undefined) {
    const user = tokens.get(header.replace(/^bearer /i, ""));
    if (!user) throw unauthorized();
    return user;
  }
  switch (exchange.peer.certificate) {
    case "trusted":
      return authenticated(exchange.peer.subject.commonName, exchange.peer.subject.organizations);
    case "untrusted":
      throw unauthorized();
    case "none":
      return anonymous;
  }
}
