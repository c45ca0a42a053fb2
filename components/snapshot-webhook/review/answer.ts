import type { Answer } from "@csi-sidecars/host";

/** What a webhook is asked over HTTP. */
export interface WebhookRequest {
  /** The header; empty without one. */
  readonly contentType: string;
  readonly accept: string;
  readonly body: string;
}

/** The request is at fault, not the object in it: the API server reports that the webhook failed. */
export function badRequest(message: string): Answer {
  return { status: 400, body: `${message}\n` };
}

const longestQuote = 2_048;

/** What came in, for a message: not more of it than a log can take. */
export function quoted(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote).toWellFormed()}... (${text.length} characters)` : text;
}
