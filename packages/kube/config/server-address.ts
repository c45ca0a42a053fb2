import { ConfigError } from "./config-error.ts";

/**
 * The address of an API server without a slash at the end. Without a scheme it is `https` if the configuration is one for TLS
 * (`secure`), else `http`.
 */
export function parseServer(given: { readonly value: string; readonly where: string }, options: { readonly secure: boolean }): string {
  const { value, where } = given;
  const hasScheme = value.includes("://");
  const full = hasScheme ? value : `${options.secure ? "https" : "http"}://${value}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (
    !url?.hostname ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.search ||
    url.hash ||
    (!hasScheme && url.pathname !== "/")
  ) {
    throw new ConfigError(`${where}: must be a URL or a host:port pair, like https://10.0.0.1:6443`);
  }
  if (url.username || url.password) {
    throw new ConfigError(`${where}: must not hold a user name or password; put them into a kubeconfig's users`);
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}
