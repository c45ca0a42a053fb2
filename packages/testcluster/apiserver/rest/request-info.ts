/** What a request is about, read from its method and path as the API server's authorization sees it. */
export type RequestInfo = ResourceRequest | PathRequest;

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

export interface ResourceRequest {
  readonly kind: "resource";
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** A non-resource URL: discovery, health, version. */
export interface PathRequest {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  const core = parts[0] === "api";
  const [group, version, ...named] = core ? ["", ...parts.slice(1)] : parts.slice(1);
  if ((!core && parts[0] !== "apis") || group === undefined || version === undefined || named.length === 0) {
    return { kind: "path", verb: method.toLowerCase(), path };
  }
  const legacyWatch = named[0] === "watch";
  if (legacyWatch) named.shift();
  const inNamespace = named[0] === "namespaces" && named.length > 2 && !namespaceSubresources.has(named[2] ?? "");
  const namespace = inNamespace ? named[1] : undefined;
  const [resource = "", name, subresource] = inNamespace ? named.slice(2) : named;
  const verb = verbOf(method, name, legacyWatch || isTrue(query.get("watch")));
  return {
    kind: "resource",
    verb,
    group,
    version,
    resource,
    subresource,
    namespace: namespace ?? (resource === "namespaces" ? name : undefined),
    name: name ?? nameInSelector(verb, query.get("fieldSelector")),
  };
}

/** A path segment. One that is wrongly encoded stays as it is and matches nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const namespaceSubresources = new Set(["status", "finalize"]);

function verbOf(method: string, name: string | undefined, watch: boolean): Verb {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      if (name !== undefined) return "get";
      return watch ? "watch" : "list";
  }
}

/** A list of one object by its name is authorized as a request for that object. */
function nameInSelector(verb: Verb, fieldSelector: string | null): string | undefined {
  if (fieldSelector === null || (verb !== "list" && verb !== "watch" && verb !== "deletecollection")) return undefined;
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(fieldSelector)?.[1];
}

/** A boolean query parameter the way Go's conversion reads it: anything but "false" and "0" is true. */
export const isTrue = (value: string | null): boolean => value !== null && value !== "false" && value !== "0";
