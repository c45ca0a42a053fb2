import { entriesAt, type Fields, listAt, textAt } from "./container.ts";
import { type Endpoints, newPort } from "./endpoints.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";
import type { Merge } from "./merge-lists.ts";

/** A port that nothing answers on any more: others may refer to it. */
export interface LostPort {
  readonly sidecar: LegacySidecar;
  readonly port: number;
  readonly name?: string;
}

/** The ports that still answer, each once; and those that do not, also where a container did not list them. */
export function mergePorts(sidecars: readonly LegacySidecar[], endpoints: Endpoints): Merge & { readonly lost: readonly LostPort[] } {
  const kept: { sidecar: LegacySidecar; field: "ports"; at: number; value: Fields }[] = [];
  const lost: LostPort[] = [];
  const warnings: string[] = [];
  for (const sidecar of sidecars) {
    for (const [at, value] of entriesAt(sidecar.container, "ports")) {
      const port = Number(value.containerPort);
      const name = textAt(value, "name");
      const protocol = textAt(value, "protocol") ?? "TCP";
      const same = (other: Fields) => Number(other.containerPort) === port && (textAt(other, "protocol") ?? "TCP") === protocol;
      if (newPort(endpoints, sidecar, port) !== port) lost.push({ sidecar, port, ...(name !== undefined && { name }) });
      else if (kept.some((each) => same(each.value))) continue;
      else if (name !== undefined && kept.some((each) => each.value.name === name))
        warnings.push(`two ports have the name ${name}: port ${port} of ${sidecar.name} is left out`);
      else kept.push({ sidecar, field: "ports", at, value });
    }
  }
  for (const [sidecar, port] of endpoints.moved) {
    if (port === undefined || newPort(endpoints, sidecar, port) === port) continue;
    if (!lost.some((each) => each.sidecar === sidecar && each.port === port)) lost.push({ sidecar, port });
  }
  return { items: kept, warnings, lost };
}

/** The number of a port that a probe names. */
export function portNumber(container: Fields, port: unknown): number | undefined {
  const number = Number(port);
  if (Number.isInteger(number)) return number;
  const named = listAt(container, "ports").find((each) => textAt(each, "name") === port);
  return named && Number(named.containerPort);
}
