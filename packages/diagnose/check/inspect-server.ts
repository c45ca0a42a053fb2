import {
  type CallOptions,
  type Client,
  groupResourceOf,
  type Resource,
  resource,
  reviewAccess,
  serverVersion,
  whoAmI,
} from "@csi-sidecars/kube";
import { type Answer, mapConcurrently, type TimeLimit, withTimeLimit } from "../access/time-limit.ts";
import { accessKey, type RequiredAccess } from "./required-access.ts";
import { type StoredVersions, storedVersions } from "./stored-versions.ts";

/** The calls that inspecting an API server takes. */
export type InspectClient = Pick<Client, "create" | "raw" | "discover">;

/** What the API server is, serves and allows. */
export interface ServerInfo {
  readonly server: Answer<string>;
  /** Whose permissions these are, where it was asked. */
  readonly user?: Answer<string>;
  /** The resources of the needed groups that are served, as `volumeattachments.storage.k8s.io`, with their versions. */
  readonly served?: Answer<ReadonlyMap<string, readonly string[]>>;
  /** Of the definitions that could be read. */
  readonly stored?: readonly StoredVersions[];
  readonly access: readonly { readonly need: RequiredAccess; readonly allowed: Answer<boolean> }[];
}

/** What is asked about. */
export interface ServerNeeds {
  readonly access: readonly RequiredAccess[];
  readonly kinds: readonly Resource[];
  /** Custom kinds whose definitions are read. */
  readonly definitions: readonly Resource[];
  /** Whether the user is asked for. */
  readonly user: boolean;
}

const concurrentReviews = 8;

/** A server that does not tell its version is not asked anything else. */
export async function inspectServer(
  client: InspectClient,
  { access: needs, kinds, definitions, user: asksUser }: ServerNeeds,
  limits: TimeLimit,
  signal: AbortSignal,
): Promise<ServerInfo> {
  const call = (ends: AbortSignal): CallOptions => ({ signal: ends, timeoutMs: limits.limitMs });
  const server = await withTimeLimit(limits, signal, async (ends) => (await serverVersion(client, call(ends))).gitVersion);
  if (!server.known) return { server, access: [] };
  const groups = new Set([...needs, ...kinds].map(({ group }) => group).filter((group) => group !== ""));
  const custom = [...new Map(definitions.map((kind) => [groupResourceOf(kind), kind])).values()];
  const [served, access, stored, user] = await Promise.all([
    withTimeLimit(limits, signal, (ends) => servedResources(client, groups, call(ends))),
    reviewAll(client, needs, limits, signal),
    mapConcurrently(custom, concurrentReviews, (kind) => withTimeLimit(limits, signal, (ends) => storedVersions(client, kind, call(ends)))),
    asksUser ? withTimeLimit(limits, signal, (ends) => whoAmI(client, call(ends))) : undefined,
  ]);
  return { server, ...(user && { user }), served, access, stored: stored.flatMap((answer) => (answer.known && answer.value) || []) };
}

async function reviewAll(
  client: InspectClient,
  needs: readonly RequiredAccess[],
  limits: TimeLimit,
  signal: AbortSignal,
): Promise<ServerInfo["access"]> {
  const reviews = [...new Map(needs.map((need) => [accessKey(need), need]))];
  const answers = new Map<string, Answer<boolean>>();
  await mapConcurrently(reviews, concurrentReviews, async ([key, need]) => {
    answers.set(key, await withTimeLimit(limits, signal, (ends) => isAllowed(client, need, { signal: ends, timeoutMs: limits.limitMs })));
  });
  const unasked: Answer<boolean> = { known: false, because: "not asked" };
  return needs.map((need) => ({ need, allowed: answers.get(accessKey(need)) ?? unasked }));
}

async function isAllowed(client: InspectClient, need: RequiredAccess, options: CallOptions): Promise<boolean> {
  const { verb, group, resource: plural, subresource, namespace } = need;
  const anyVersion = resource(`${group}/*`, plural, plural, { namespaced: namespace !== undefined });
  const question = { verb, resource: anyVersion, ...(subresource && { subresource }), ...(namespace && { namespace }) };
  return (await reviewAccess(client, question, options)).allowed;
}

interface GroupList {
  readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly groupVersion: string }[] }[];
}

async function servedResources(
  client: InspectClient,
  groups: ReadonlySet<string>,
  options: CallOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const list = groups.size === 0 ? {} : await client.raw<GroupList>("GET", "/apis", undefined, options);
  const known = list.groups?.filter(({ name }) => groups.has(name)) ?? [];
  const served = known.flatMap(({ name, versions }) =>
    versions.map(async ({ groupVersion }) => {
      const resources = (await client.discover(groupVersion, options)) ?? [];
      return resources.map((each) => ({ resource: `${each.name}.${name}`, version: groupVersion.slice(name.length + 1) }));
    }),
  );
  const all = Map.groupBy((await Promise.all(served)).flat(), ({ resource }) => resource);
  return new Map([...all].map(([kind, found]) => [kind, found.map(({ version }) => version)]));
}
