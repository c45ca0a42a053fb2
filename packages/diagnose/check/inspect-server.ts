import { type CallOptions, type Client, resource, reviewAccess, serverVersion } from "@csi-sidecars/kube";
import { type Answer, mapConcurrently, type TimeLimit, withTimeLimit } from "../access/time-limit.ts";
import { accessKey, type RequiredAccess } from "./required-access.ts";

/** The calls that inspecting an API server takes. */
export type InspectClient = Pick<Client, "create" | "raw" | "discover">;

/** What the API server is, serves and allows. */
export interface ServerInfo {
  readonly server: Answer<string>;
  /** The resources of the needed groups that are served, as `volumeattachments.storage.k8s.io`. */
  readonly served?: Answer<ReadonlySet<string>>;
  readonly access: readonly { readonly need: RequiredAccess; readonly allowed: Answer<boolean> }[];
}

const concurrentReviews = 8;

/** A server that does not tell its version is not asked anything else. */
export async function inspectServer(
  client: InspectClient,
  needs: readonly RequiredAccess[],
  limits: TimeLimit,
  signal: AbortSignal,
): Promise<ServerInfo> {
  const call = (ends: AbortSignal): CallOptions => ({ signal: ends, timeoutMs: limits.limitMs });
  const server = await withTimeLimit(limits, signal, async (ends) => (await serverVersion(client, call(ends))).gitVersion);
  if (!server.known) return { server, access: [] };
  const groups = new Set(needs.map(({ group }) => group).filter((group) => group !== ""));
  const [served, access] = await Promise.all([
    withTimeLimit(limits, signal, (ends) => servedResources(client, groups, call(ends))),
    reviewAll(client, needs, limits, signal),
  ]);
  return { server, served, access };
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

/** In whatever version: the component knows which ones it can use. */
async function servedResources(client: InspectClient, groups: ReadonlySet<string>, options: CallOptions): Promise<ReadonlySet<string>> {
  const list = groups.size === 0 ? {} : await client.raw<GroupList>("GET", "/apis", undefined, options);
  const known = list.groups?.filter(({ name }) => groups.has(name)) ?? [];
  const served = known.flatMap(({ name, versions }) =>
    versions.map(async ({ groupVersion }) => {
      const resources = (await client.discover(groupVersion, options)) ?? [];
      return resources.map((each) => `${each.name}.${name}`);
    }),
  );
  return new Set((await Promise.all(served)).flat());
}
