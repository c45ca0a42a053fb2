import { createHmac, randomBytes } from "node:crypto";
import { metav1Time } from "@csi-sidecars/kube";
import { invalidValue } from "../../rules/field-error.ts";
import { arrayAt, at, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { invalidKind } from "../../rules/status.ts";

/** What the `token` subresource of a service account takes and answers. */
export const tokenKind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" } as const;

export const tokenBody = { kind: tokenKind.kind, schemaName: () => "io.k8s.api.authentication.v1.TokenRequest" };

const issuer = "https://kubernetes.default.svc";
const usualSeconds = 3600;
const leastSeconds = 600;

export interface IssuedToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly answer: JsonObject;
}

/** A bearer token for a service account, for as long as the request asks for. */
export function issueToken(account: JsonObject, request: JsonObject, now: number): IssuedToken {
  const spec = objectAt(request, "spec");
  const seconds = Number(at(spec, "expirationSeconds") ?? usualSeconds);
  if (seconds < leastSeconds) {
    const path = "spec.expirationSeconds";
    const { group, kind } = tokenKind;
    throw invalidKind(group, kind, "", [invalidValue(path, seconds, "may not specify a duration less than 10 minutes")]);
  }
  const [name, namespace, uid] = ["name", "namespace", "uid"].map((field) => stringAt(account, "metadata", field));
  const asked = arrayAt(spec, "audiences");
  const audiences = asked.length > 0 ? asked : [issuer];
  const expiresAt = now + seconds * 1000;
  const times = { iat: Math.floor(now / 1000), nbf: Math.floor(now / 1000), exp: Math.floor(expiresAt / 1000) };
  const kubernetes = { namespace, serviceaccount: { name, uid } };
  const token = webToken({
    aud: audiences,
    iss: issuer,
    sub: `system:serviceaccount:${namespace}:${name}`,
    ...times,
    "kubernetes.io": kubernetes,
  });
  return {
    token,
    expiresAt,
    answer: {
      ...{ kind: tokenKind.kind, apiVersion: `${tokenKind.group}/${tokenKind.version}` },
      metadata: { name, namespace, creationTimestamp: metav1Time(now) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: at(spec, "boundObjectRef") ?? null },
      status: { token, expirationTimestamp: metav1Time(expiresAt) },
    },
  };
}

/** Looks like those of a real server. Nobody checks its signature: the server remembers what it has issued. */
function webToken(claims: object): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
  const signed = `${part({ alg: "HS256", kid: "embedded" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", randomBytes(32)).update(signed).digest("base64url")}`;
}
