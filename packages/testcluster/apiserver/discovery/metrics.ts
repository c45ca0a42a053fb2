import type { Kind } from "../../kinds/kind.ts";
import { groupResource } from "../../rules/kind.ts";
import { type HttpResponse, textResponse } from "../rest/response.ts";
import type { ServerState } from "../server-state.ts";

/** What `/metrics` tells of a real server's metrics: how many objects there are of each kind, and how many watches are open. */
export function metricsResponse({ kinds, store }: ServerState, openWatches: number): HttpResponse {
  const stored = (kind: Kind) => kind.viewOf === undefined;
  const tables = [...new Set(kinds.all().filter(stored).map(groupResource))].sort();
  const counts = tables.map((name) => `apiserver_storage_objects{resource="${name}"} ${store.table(name).size}`);
  const lines = [
    ...gauge("apiserver_storage_objects", "Number of stored objects.", counts),
    ...gauge("apiserver_longrunning_requests", "Number of open watches.", [`apiserver_longrunning_requests{verb="WATCH"} ${openWatches}`]),
  ];
  return textResponse(200, `${lines.join("\n")}\n`);
}

const gauge = (name: string, help: string, samples: readonly string[]): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  ...samples,
];
