import { parseExactJson, stringifyExactJson } from "@csi-sidecars/base";
import type { Cluster } from "@csi-sidecars/testcluster";

export interface ExactAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any object of any version
  readonly body: any;
}

/** Requests of an administrator in any version of any kind, with exact integers. */
export function exactClient({ url, caPem, adminToken }: Cluster) {
  const send = async (method: string, path: string, body?: object, contentType = "application/json"): Promise<ExactAnswer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": contentType },
      ...(body && { body: stringifyExactJson(body) }),
      tls: { ca: caPem },
    });
    return { status: response.status, body: parseExactJson(await response.text()) };
  };
  return {
    get: (path: string) => send("GET", path),
    post: (path: string, body: object) => send("POST", path, body),
    patch: (path: string, body: object) => send("PATCH", path, body, "application/merge-patch+json"),
  };
}
