import { isObject } from "../../rules/json.ts";
import { badRequest } from "../../rules/status.ts";

/** Where the next page of a list begins and at which version the list is read; version -1 means "whatever is there now". */
export interface Continue {
  readonly version: number;
  /** The first key that may be on the page. */
  readonly start: string;
}

const tokenVersion = "meta.k8s.io/v1";

export function encodeContinue({ version, start }: Continue): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: version, start })).toString("base64url");
}

export function decodeContinue(token: string): Continue {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw badRequest("invalid continue token: continue key is not valid: invalid JSON input");
  }
  if (!isObject(decoded) || decoded.v !== tokenVersion || typeof decoded.rv !== "number" || typeof decoded.start !== "string") {
    throw badRequest("invalid continue token: continue key is not valid: server does not recognize this encoded version");
  }
  return { version: decoded.rv, start: decoded.start };
}
