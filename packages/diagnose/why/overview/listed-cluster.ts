import { type KubeObject, keyOf, Lease, type ObjectRef, type Resource, refKey, type V1Event } from "@csi-sidecars/kube";
import { type ClusterReader, found, foundIn, type Lookup, missing } from "../../access/read-cluster.ts";

interface Selection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** The objects of one list, and how to find them. */
interface Listed {
  readonly lookup: Lookup<readonly KubeObject[]>;
  readonly byKey: ReadonlyMap<string, KubeObject>;
  readonly byNamespace: ReadonlyMap<string, readonly KubeObject[]>;
  readonly byUid: ReadonlyMap<string, readonly KubeObject[]>;
}

/**
 * A reader for whoever asks about very many objects: each kind is listed once, and every answer comes from that. Leases are looked for by
 * name: those of nodes are many, and nobody asks for them. With a namespace, what has one is listed there only.
 */
export function listedCluster(cluster: ClusterReader, namespace?: string): ClusterReader {
  const lists = new Map<string, Promise<Listed>>();
  const listOf = (resource: Resource, selection: Selection): Promise<Listed> => {
    const key = JSON.stringify([resource.group, resource.plural, selection]);
    const known = lists.get(key) ?? cluster.list(resource, selection).then(indexed);
    lists.set(key, known);
    return known;
  };
  const scopeOf = (resource: Resource, wanted: string | undefined): Selection => {
    if (!resource.namespaced || namespace === undefined) return {};
    return wanted === undefined || wanted === namespace ? { namespace } : { namespace: wanted };
  };
  return {
    get notes() {
      return cluster.notes;
    },
    async get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<Lookup<T>> {
      const { lookup, byKey } = await listOf(resource as Resource, scopeOf(resource, ref.namespace));
      if (lookup.state !== "found") return lookup;
      const object = byKey.get(refKey(ref));
      return object ? found(object as T) : missing;
    },
    async list<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}): Promise<Lookup<readonly T[]>> {
      const direct = resource.plural === Lease.plural;
      const listed = await listOf(resource as Resource, direct ? selection : scopeOf(resource, selection.namespace));
      if (listed.lookup.state !== "found" || direct) return listed.lookup as Lookup<readonly T[]>;
      return found(selected(listed, selection) as readonly T[]);
    },
  };
}

function indexed(lookup: Lookup<readonly KubeObject[]>): Listed {
  const objects = foundIn(lookup) ?? [];
  return {
    lookup,
    byKey: new Map(objects.map((object) => [keyOf(object), object])),
    byNamespace: Map.groupBy(objects, ({ metadata }) => metadata?.namespace ?? ""),
    byUid: Map.groupBy(objects, (object) => (object as Partial<V1Event>).involvedObject?.uid ?? ""),
  };
}

/** The selectors that are in use: `metadata.name=` and `involvedObject.uid=`. */
function selected({ lookup, byNamespace, byUid }: Listed, { namespace, fieldSelector }: Selection): readonly KubeObject[] {
  const [field, value] = fieldSelector?.split("=") ?? [];
  if (field === "involvedObject.uid") return byUid.get(value ?? "") ?? [];
  const all = namespace === undefined ? (foundIn(lookup) ?? []) : (byNamespace.get(namespace) ?? []);
  return field === undefined ? all : all.filter(({ metadata }) => metadata?.name === value);
}
