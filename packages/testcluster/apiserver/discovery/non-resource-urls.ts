import type { Kind } from "../../kinds/kind.ts";
import { unknownResource } from "../../rules/status.ts";
import type { PathRequest } from "../rest/request-info.ts";
import { type HttpResponse, jsonHeaders, jsonResponse, pageNotFound, textResponse } from "../rest/response.ts";
import { aggregatedDocument, aggregatedType, discoveryDocument, wantsAggregated } from "./discovery.ts";
import { openApiV2, openApiV3 } from "./openapi.ts";
import { isBuiltInGroup } from "./served-resources.ts";

/** The release whose behaviour the embedded server follows. */
const version = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "embedded",
};

/** Health, version, discovery and OpenAPI. */
export function servePath({ path }: PathRequest, accept: string | undefined, kinds: readonly Kind[], address: string): HttpResponse {
  if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return textResponse(200, "ok");
  if (path === "/openapi/v2") return openApiV2(accept);
  const aggregated = wantsAggregated(accept) ? aggregatedDocument(path, kinds) : undefined;
  if (aggregated) return { code: 200, headers: { ...jsonHeaders, "Content-Type": aggregatedType }, body: JSON.stringify(aggregated) };
  const document = path === "/version" ? version : (openApiV3(path, kinds) ?? discoveryDocument(path, kinds, address));
  if (document) return jsonResponse(200, JSON.stringify(document));
  const [root, group = ""] = path.split("/").slice(1);
  if (root === "api" || (root === "apis" && group !== "" && isBuiltInGroup(group))) throw unknownResource();
  return pageNotFound;
}
