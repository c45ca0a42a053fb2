import { ownValue } from "@csi-sidecars/base";
import { type Status, StatusError } from "@csi-sidecars/kube";
import { unknownResource } from "../../rules/status.ts";

/** An HTTP response. */
export interface HttpResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const jsonHeaders = { "Content-Type": "application/json", "Cache-Control": "no-cache, private" } as const;

export const jsonResponse = (code: number, body: string): HttpResponse => ({ code, headers: jsonHeaders, body });

export const textResponse = (code: number, body: string): HttpResponse => ({
  code,
  headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
  body,
});

export const pageNotFound = textResponse(404, "404 page not found\n");

/** A failure, with `Retry-After` where the status has one. */
export function statusResponse(status: Status): HttpResponse {
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = { ...jsonHeaders, ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }) };
  return { code: status.code ?? 500, headers, body: statusText(status) };
}

/** A metav1.Status as the server writes it: with empty metadata. */
export function statusText(status: Status): string {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = status;
  return JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...rest });
}

const noContainers = "no container runs in this cluster";

/** Subresources that this server does not have, and why. */
const reasons: Readonly<Record<string, string>> = {
  "pods/log": `there are no logs: ${noContainers}`,
  "pods/exec": `nothing can be executed: ${noContainers}`,
  "pods/attach": `there is nothing to attach to: ${noContainers}`,
  "pods/portforward": `no port is open: ${noContainers}`,
  "pods/proxy": `no port is open: ${noContainers}`,
};

/** The 404 for a subresource that is not served, with the reason where there is one. */
export function unservedSubresource(plural: string, subresource: string, name: string | undefined): StatusError {
  const reason = ownValue(reasons, `${plural}/${subresource}`);
  if (reason === undefined) return unknownResource();
  const details = { ...(name !== undefined && { name }), kind: plural };
  return new StatusError({
    status: "Failure",
    message: `${plural} ${JSON.stringify(name ?? "")}: ${reason}`,
    reason: "NotFound",
    details,
    code: 404,
  });
}
