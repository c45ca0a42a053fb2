import { bytesOf, formatBytes, parseQuantity } from "@csi-sidecars/base";
import { type Fields, fieldsAt } from "./container.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";

export interface Suggestion {
  readonly resources: Fields;
  /** Why these. */
  readonly note: string;
}

const mebi = 1024n * 1024n;
/** What deploy/kubernetes gives the process of a controller pod, and the one of a node pod. */
const controllerMemory = { request: 128n * mebi, limit: 256n * mebi };
const nodeMemory = { request: 48n * mebi, limit: 128n * mebi };

/**
 * One process needs less than the sum: the memory of its largest sidecar, but not less than it has been measured with. Limits are only set
 * where every sidecar had one, and never below the largest of them.
 */
export function suggestResources(sidecars: readonly LegacySidecar[]): Suggestion {
  const floor = sidecars.some(({ component }) => component.kube) ? controllerMemory : nodeMemory;
  const requests = { cpu: readAll(sidecars, "requests", "cpu"), memory: readAll(sidecars, "requests", "memory") };
  const limits = { cpu: readAll(sidecars, "limits", "cpu"), memory: readAll(sidecars, "limits", "memory") };
  const all = (values: readonly Amount[]) => values.length === sidecars.length;
  const memory = formatBytes(greatest([floor.request, ...sizes(requests.memory)]));
  const resources = {
    requests: { cpu: largest(requests.cpu) ?? "10m", memory },
    ...(all(limits.memory) && {
      limits: {
        ...(all(limits.cpu) && { cpu: `${sum(sizes(limits.cpu))}m` }),
        memory: formatBytes(greatest([floor.limit, ...sizes(limits.memory)])),
      },
    }),
  };
  const before =
    requests.memory.length > 0 ? `; together the ${sidecars.length} sidecars requested ${formatBytes(sum(sizes(requests.memory)))}` : "";
  const limit = all(limits.memory) ? "" : "; no memory limit, because not every sidecar had one";
  return { resources, note: `resources are a suggestion: memory request ${memory} for one process${before}${limit}` };
}

interface Amount {
  readonly text: string;
  /** Bytes, or thousandths of a CPU. */
  readonly size: bigint;
}

function readAll(sidecars: readonly LegacySidecar[], kind: "requests" | "limits", name: "cpu" | "memory"): readonly Amount[] {
  return sidecars.flatMap(({ container }) => {
    const value = fieldsAt(container, "resources", kind)?.[name];
    if (value === undefined) return [];
    try {
      const { nano } = parseQuantity(value);
      return [{ text: String(value), size: name === "cpu" ? (nano + 999_999n) / 1_000_000n : bytesOf(String(value)) }];
    } catch {
      return [];
    }
  });
}

function largest(amounts: readonly Amount[]): string | undefined {
  return amounts.find(({ size }) => size === greatest(sizes(amounts)))?.text;
}

const sizes = (amounts: readonly Amount[]) => amounts.map(({ size }) => size);
const sum = (values: readonly bigint[]) => values.reduce((one, other) => one + other, 0n);
const greatest = (values: readonly bigint[]) => values.reduce((one, other) => (other > one ? other : one), 0n);
