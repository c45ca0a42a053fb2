import type { Status } from "@csi-sidecars/kube";

/** A whole HTTP answer. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const jsonHeaders = { "Content-Type": "application/json", "Cache-Control": "no-cache, private" } as const;

export const jsonAnswer = (code: number, body: string): Answer => ({ code, headers: jsonHeaders, body });

export const textAnswer = (code: number, body: string): Answer => ({
  code,
  headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
  body,
});

export const pageNotFound = textAnswer(404, "404 page not found\n");

/** A failure, with the time to wait where the status names one. */
export function statusAnswer(status: Status): Answer {
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = { ...jsonHeaders, ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }) };
  return { code: status.code ?? 500, headers, body: statusText(status) };
}

/** A metav1.Status as the server writes it: with empty metadata. */
export function statusText(status: Status): string {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = status;
  return JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...rest });
}
