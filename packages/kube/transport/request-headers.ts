import type { ClusterConfig } from "../config/cluster-config.ts";
import { ConfigError } from "../config/config-fields.ts";
import type { TransportRequest } from "./transport.ts";

/** The headers that all requests have in common: who we are, whom we act as, what we can unpack. */
export function commonHeaders(config: ClusterConfig, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": userAgent,
    "accept-encoding": config.disableCompression ? "identity" : "gzip",
  };
  const { impersonate } = config;
  if (!impersonate) return headers;
  headers["impersonate-user"] = impersonate.user;
  if (impersonate.uid) headers["impersonate-uid"] = impersonate.uid;
  setOnce(headers, "impersonate-group", impersonate.groups, "as-groups");
  for (const [key, values] of Object.entries(impersonate.extra)) {
    setOnce(headers, `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values, "as-user-extra");
  }
  return headers;
}

/** Fetch sends a header's values as one, joined by commas, and the API server would take that for one strange group. */
function setOnce(headers: Record<string, string>, name: string, values: readonly string[], field: string): void {
  const [value, ...others] = values;
  if (value === undefined) return;
  if (others.length > 0)
    throw new ConfigError(`users[].user.${field}: only one value can be sent; impersonate a user who has the others by itself`);
  headers[name] = value;
}

/** Whether the caller brings credentials of its own. */
export function hasAuthorization(headers: Readonly<Record<string, string>> | undefined): boolean {
  for (const name in headers) if (name.length === 13 && name.toLowerCase() === "authorization") return true;
  return false;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Adds a request's headers to those of all. A stream is not compressed: its pieces are to come when they are sent. The same two make the
 * same object again, since few kinds of requests are all the many requests.
 */
export function headerMerger(): (common: Headers, request: Pick<TransportRequest, "headers" | "streaming">) => Headers {
  const answers = new WeakMap<Headers, WeakMap<Headers, Headers>>();
  const streams = new WeakMap<Headers, WeakMap<Headers, Headers>>();
  const none: Headers = {};
  return (common, { headers: own = none, streaming = false }) => {
    const all = streaming ? streams : answers;
    const known = all.get(common) ?? new WeakMap<Headers, Headers>();
    const merged = known.get(own) ?? { ...common, ...(streaming && { "accept-encoding": "identity" }), ...own };
    all.set(common, known);
    known.set(own, merged);
    return merged;
  };
}
