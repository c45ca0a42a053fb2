import { BlockList, isIP, isIPv6 } from "node:net";
import { ownValue } from "@csi-sidecars/base";
import type { ProxyConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-fields.ts";
import type { Environment } from "./files.ts";
import { redactUrl } from "./secret-string.ts";

const proxySchemes = ["http:", "https:"];

/** The proxy of HTTPS_PROXY or HTTP_PROXY for `server`, unless NO_PROXY exempts it. */
export function proxyFromEnvironment(server: string, env: Environment): ProxyConfig | undefined {
  const url = new URL(server);
  const names = url.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const from = names.find((name) => ownValue(env, name));
  const value = from && ownValue(env, from);
  if (!value || bypassesProxy(url, env.NO_PROXY || env.no_proxy || "")) return undefined;
  return parseProxy(value.includes("://") ? value : `http://${value}`, from);
}

/** Checks a proxy's URL; `from` names the field or variable. */
export function parseProxy(value: string, from: string): ProxyConfig {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url?.hostname || !proxySchemes.includes(url.protocol)) {
    const shown = url?.host ? `"${redactUrl(value)}" ` : "";
    const problem = url?.protocol.startsWith("socks") ? "is a SOCKS proxy, which is not supported" : "is not a proxy URL";
    throw new ConfigError(`${from}: ${shown}${problem}; use http://host:port or https://host:port`);
  }
  return { url: value, from };
}

/** NO_PROXY as Go reads it: `*`, addresses, CIDR blocks, `host` with its subdomains, `.host` for subdomains only, each with an optional port. */
function bypassesProxy(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))) return true;
  return noProxy.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return isInBlock(entry, host);
  const { name, port: wanted } = splitPort(entry);
  if (wanted !== undefined && wanted !== port) return false;
  if (isIP(name)) return sameAddress(name, host);
  const suffix = name.replace(/^\*(?=\.)/, "");
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function splitPort(entry: string): { readonly name: string; readonly port?: string } {
  if (isIPv6(entry)) return { name: entry };
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const bare = name.replace(/^\[|\]$/g, "");
  return port === undefined ? { name: bare } : { name: bare, port };
}

function sameAddress(address: string, host: string): boolean {
  return isInBlock(`${address}/${isIPv6(address) ? 128 : 32}`, host);
}

function isInBlock(cidr: string, host: string): boolean {
  const [network = "", prefix = ""] = cidr.split("/");
  const family = isIPv6(network) ? "ipv6" : "ipv4";
  const longest = family === "ipv6" ? 128 : 32;
  if (!isIP(network) || !isIP(host) || isIPv6(host) !== (family === "ipv6") || !/^\d+$/.test(prefix) || Number(prefix) > longest)
    return false;
  const block = new BlockList();
  block.addSubnet(network, Number(prefix), family);
  return block.check(host, family);
}
