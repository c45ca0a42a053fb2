import { type Dictionary, dictionary } from "@csi-sidecars/base";
import type { ClusterConfig } from "../config/cluster-config.ts";
import { ConfigError } from "../config/config-fields.ts";
import type { RequestHeaders } from "./pool.ts";
import type { TransportRequest } from "./transport.ts";

/** The headers of all requests: user agent, impersonation, accepted encoding. */
export function commonHeaders(config: ClusterConfig, userAgent: string): RequestHeaders {
  const headers = dictionary<string | readonly string[]>({
    "user-agent": userAgent,
    "accept-encoding": config.disableCompression ? "identity" : "gzip",
  });
  const { impersonate, proxy } = config;
  if (!impersonate) return headers;
  headers["impersonate-user"] = impersonate.user;
  if (impersonate.uid) headers["impersonate-uid"] = impersonate.uid;
  setAll(headers, "impersonate-group", impersonate.groups, proxy);
  for (const [key, values] of Object.entries(impersonate.extra)) {
    setAll(headers, `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values, proxy);
  }
  return headers;
}

/** Fetch, which is used for proxies, joins the values of a header with commas: the API server would take that for one group. */
function setAll(
  headers: Dictionary<string | readonly string[]>,
  name: string,
  values: readonly string[],
  proxy: ClusterConfig["proxy"],
): void {
  const [value, ...others] = values;
  if (value === undefined) return;
  if (others.length > 0 && proxy)
    throw new ConfigError(
      `impersonation: through a proxy (${proxy.from}) only one value of ${name} can be sent; impersonate a user who has the others by itself`,
    );
  headers[name] = others.length > 0 ? values : value;
}

/** Whether the caller sends its own credentials. */
export function hasAuthorization(headers: Readonly<Record<string, string>> | undefined): boolean {
  for (const name in headers) if (name.length === 13 && name.toLowerCase() === "authorization") return true;
  return false;
}

type Headers = RequestHeaders;

/**
 * Adds a request's headers to the common ones. A stream is not compressed, so that its events arrive when they are sent. Results are
 * cached: requests share a few sets of headers.
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

export interface UserAgentParts {
  /** The program's name, like `csi-attacher`. */
  readonly name: string;
  readonly version: string;
  /** The commit it was built from, if known. */
  readonly commit?: string;
  /** As Node names them; default: those of this process. */
  readonly platform?: string;
  readonly arch?: string;
}

const goPlatforms: Readonly<Dictionary<string>> = dictionary({ win32: "windows" });
const goArchs: Readonly<Dictionary<string>> = dictionary({ x64: "amd64", ia32: "386", ppc64: "ppc64le" });

/** The user agent in client-go's form, so that audit logs and priority-and-fairness rules written for the Go sidecars still match. */
export function userAgent({ name, version, commit, platform = process.platform, arch = process.arch }: UserAgentParts): string {
  const system = `${goPlatforms[platform] ?? platform}/${goArchs[arch] ?? arch}`;
  return `${name}/${version} (${system}) kubernetes/${commit ? commit.slice(0, 7) : "unknown"}`;
}
