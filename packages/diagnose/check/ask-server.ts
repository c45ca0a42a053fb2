import { type CallOptions, type Client, resource, reviewAccess, serverVersion } from "@csi-sidecars/kube";
import { ask, fewAtATime } from "./asked.ts";
import type { Asked, Facts, Need } from "./facts.ts";
import { questionKey } from "./needs.ts";

/** The calls that looking around takes. */
export type ReportClient = Pick<Client, "create" | "raw" | "discover">;

type Limits = Parameters<typeof ask>[0];

const questionsAtATime = 8;

/** What the server is, serves and allows. A server that does not say its version is not asked further. */
export async function askServer(
  client: ReportClient,
  needs: readonly Need[],
  limits: Limits,
  signal: AbortSignal,
): Promise<Pick<Facts, "server" | "served" | "access">> {
  const call = (ends: AbortSignal): CallOptions => ({ signal: ends, timeoutMs: limits.limitMs });
  const server = await ask(limits, signal, async (ends) => (await serverVersion(client, call(ends))).gitVersion);
  if (!server.known) return { server, access: [] };
  const groups = new Set(needs.map(({ group }) => group).filter((group) => group !== ""));
  const [served, access] = await Promise.all([
    ask(limits, signal, (ends) => servedKinds(client, groups, call(ends))),
    askAccess(client, needs, limits, signal),
  ]);
  return { server, served, access };
}

async function askAccess(client: ReportClient, needs: readonly Need[], limits: Limits, signal: AbortSignal): Promise<Facts["access"]> {
  const questions = [...new Map(needs.map((need) => [questionKey(need), need]))];
  const answers = new Map<string, Asked<boolean>>();
  await fewAtATime(questions, questionsAtATime, async ([key, need]) => {
    answers.set(key, await ask(limits, signal, (ends) => mayDo(client, need, { signal: ends, timeoutMs: limits.limitMs })));
  });
  const unasked: Asked<boolean> = { known: false, because: "not asked" };
  return needs.map((need) => ({ need, allowed: answers.get(questionKey(need)) ?? unasked }));
}

async function mayDo(client: ReportClient, need: Need, options: CallOptions): Promise<boolean> {
  const { verb, group, resource: plural, subresource, namespace } = need;
  const anyVersion = resource(`${group}/*`, plural, plural, { namespaced: namespace !== undefined });
  const question = { verb, resource: anyVersion, ...(subresource && { subresource }), ...(namespace && { namespace }) };
  return (await reviewAccess(client, question, options)).allowed;
}

interface GroupList {
  readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly groupVersion: string }[] }[];
}

/** Whatever version a kind is served in: the component knows which ones it can use. */
async function servedKinds(client: ReportClient, groups: ReadonlySet<string>, options: CallOptions): Promise<ReadonlySet<string>> {
  const list = groups.size === 0 ? {} : await client.raw<GroupList>("GET", "/apis", undefined, options);
  const known = list.groups?.filter(({ name }) => groups.has(name)) ?? [];
  const kinds = known.flatMap(({ name, versions }) =>
    versions.map(async ({ groupVersion }) => {
      const resources = (await client.discover(groupVersion, options)) ?? [];
      return resources.map((each) => `${each.name}.${name}`);
    }),
  );
  return new Set((await Promise.all(kinds)).flat());
}
