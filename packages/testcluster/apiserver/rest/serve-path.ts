import type { Kind } from "../../kinds/kind.ts";
import { unknownResource } from "../../rules/status.ts";
import { openApiDocument } from "../openapi/document.ts";
import { versionTwo } from "../openapi/version-two.ts";
import { aggregatedDocument, aggregatedType, wantsAggregated } from "./aggregated-discovery.ts";
import { type Answer, jsonAnswer, jsonHeaders, pageNotFound, textAnswer } from "./answer.ts";
import { discoveryDocument } from "./discovery.ts";
import { isOwnGroup } from "./own-groups.ts";
import type { PathRequest } from "./request-info.ts";

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

/** Health, version and discovery: the paths that are no objects. */
export function servePath({ path }: PathRequest, accept: string | undefined, kinds: readonly Kind[], address: string): Answer {
  if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return textAnswer(200, "ok");
  if (path === "/openapi/v2") return versionTwo(accept);
  const aggregated = wantsAggregated(accept) ? aggregatedDocument(path, kinds) : undefined;
  if (aggregated) return { code: 200, headers: { ...jsonHeaders, "Content-Type": aggregatedType }, body: JSON.stringify(aggregated) };
  const document = path === "/version" ? version : (openApiDocument(path, kinds) ?? discoveryDocument(path, kinds, address));
  if (document) return jsonAnswer(200, JSON.stringify(document));
  const [root, group = ""] = path.split("/").slice(1);
  if (root === "api" || (root === "apis" && group !== "" && isOwnGroup(group))) throw unknownResource();
  return pageNotFound;
}
