import type { Kind } from "../../kinds/kind.ts";
import { isObject } from "../../rules/json.ts";
import { badRequest, continueExpired, listExpired, tooLargeResourceVersion } from "../../rules/status.ts";
import { type ServerState, tableOf } from "../server-state.ts";
import type { Revision } from "../store/revision.ts";
import { firstNotBefore, namespaceRange, type Table } from "../store/table.ts";
import type { ListMeta } from "./encoding.ts";
import { type ListOptions, readVersion } from "./request-options.ts";
import type { Selection } from "./selection.ts";

export interface Page {
  readonly metadata: ListMeta;
  readonly items: readonly Revision[];
}

/** A list, or one page of it. All pages show the objects as they were when the first was read. */
export function listObjects(state: ServerState, kind: Kind, selection: Selection, options: ListOptions): Page {
  const table = tableOf(state, kind);
  const { version, start } = pointInTime(state, table, options);
  const limit = ignoresLimit(options) ? 0 : options.limit;
  const resourceVersion = String(version);
  if (limit === 0 && start === "" && version === state.store.version) {
    const all = [...table.values(selection.namespace)];
    return { metadata: { resourceVersion }, items: selection.filtered ? all.filter(selection.matches) : all };
  }

  const snapshot = table.asOf(version);
  const [first, end] = namespaceRange(snapshot, keyOf, selection.namespace);
  const items: Revision[] = [];
  let next = Math.max(first, firstNotBefore(snapshot, keyOf, start));
  for (; next < end && (limit === 0 || items.length < limit); next++) {
    const revision = snapshot[next];
    if (revision && selection.matches(revision)) items.push(revision);
  }
  const last = items.at(-1);
  const more = last && hasMore(snapshot, next, end, selection);
  if (!more) return { metadata: { resourceVersion }, items };
  const token = encodeContinue({ version, start: `${last.key}\0` });
  return { metadata: { resourceVersion, continue: token, ...(!selection.filtered && { remainingItemCount: end - next }) }, items };
}

function hasMore(snapshot: readonly Revision[], from: number, end: number, selection: Selection): boolean {
  for (let i = from; i < end; i++) {
    const revision = snapshot[i];
    if (revision && selection.matches(revision)) return true;
  }
  return false;
}

const keyOf = (revision: Revision): string => revision.key;

/** The version to read at, and the key to begin with. */
function pointInTime({ store }: ServerState, table: Table, options: ListOptions): Continue {
  if (options.continue !== "") {
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const { version, start } = decodeContinue(options.continue);
    if (version < 0) return { version: store.version, start };
    if (version < table.floor) throw continueExpired(encodeContinue({ version: -1, start }));
    return { version, start };
  }
  const asked = readVersion(options.resourceVersion);
  if (asked > store.version) throw tooLargeResourceVersion(asked, store.version);
  if (!isExact(options)) return { version: store.version, start: "" };
  if (asked < table.floor) throw listExpired();
  return { version: asked, start: "" };
}

/** A limit and a version without `resourceVersionMatch` mean exactly that version. */
function isExact({ resourceVersion, resourceVersionMatch, limit }: ListOptions): boolean {
  if (resourceVersion === "" || resourceVersion === "0") return false;
  return resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit > 0);
}

/** The real server answers version 0 from its cache and ignores the limit. */
const ignoresLimit = ({ resourceVersion, resourceVersionMatch }: ListOptions): boolean =>
  resourceVersion === "0" && resourceVersionMatch === "";

/** Where the next page of a list begins and at which version the list is read; version -1 means "whatever is there now". */
interface Continue {
  readonly version: number;
  /** The first key that may be on the page. */
  readonly start: string;
}

const tokenVersion = "meta.k8s.io/v1";

function encodeContinue({ version, start }: Continue): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: version, start })).toString("base64url");
}

function decodeContinue(token: string): Continue {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw badRequest("invalid continue token: continue key is not valid: invalid JSON input");
  }
  if (!isObject(decoded) || decoded.v !== tokenVersion || typeof decoded.rv !== "number" || typeof decoded.start !== "string") {
    throw badRequest("invalid continue token: continue key is not valid: server does not recognize this encoded version");
  }
  return { version: decoded.rv, start: decoded.start };
}
