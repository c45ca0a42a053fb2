/**
 * One field of a protobuf message: its number, its name in JSON (empty when its members stand beside it there), its type (a scalar's name or a
 * message's), whether it is a list or a map of them, and whether a zero is written to JSON too.
 */
export type MessageField = readonly [number: number, name: string, type: string, many: "" | "list" | "map", zero: 0 | 1];

/** The sources of one Go package: its `generated.proto` and the Go files with its types. */
export interface PackageSources {
  readonly proto: string;
  readonly types: string;
}

/** The messages that are sent for `roots`, and those inside of them, by the names that their schemas have. */
export function messageFields(packages: readonly PackageSources[], roots: readonly string[]): Record<string, readonly MessageField[]> {
  const all = new Map(packages.flatMap((sources) => [...messagesOf(sources)]));
  const kept = new Map<string, readonly MessageField[]>();
  const keep = (name: string): void => {
    const fields = all.get(name);
    if (!fields || kept.has(name)) return;
    kept.set(name, fields);
    for (const [, , type] of fields) keep(type);
  };
  for (const root of roots) keep(root);
  return Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const field = /^ {2}(?:(optional|repeated) ([\w.]+)|map<string, ([\w.]+)>) (\w+) = (\d+);/gm;

function* messagesOf({ proto, types }: PackageSources): Generator<[string, readonly MessageField[]]> {
  const home = /^package ([\w.]+);/m.exec(proto)?.[1] ?? "";
  for (const [, name = "", body = ""] of proto.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const tags = tagsOf(types, name);
    const fields = [...body.matchAll(field)].map(([, label, one, member, protoName = "", number]): MessageField => {
      const tag = tags.get(Number(number));
      const type = one ?? member ?? "";
      const many = member ? "map" : label === "repeated" ? "list" : "";
      return [Number(number), tag?.name ?? protoName, typeName(type, home), many, tag?.zero ? 1 : 0];
    });
    yield [schemaName(`${home}.${name}`), fields];
  }
}

/** What the tags of a Go struct say of its fields in JSON, by the number in protobuf. A pointer that is set to zero is meant. */
function tagsOf(types: string, struct: string): ReadonlyMap<number, { readonly name: string; readonly zero: boolean }> {
  const [, body = ""] = new RegExp(`^type ${struct} struct \\{\\n([\\s\\S]*?)^\\}`, "m").exec(types) ?? [];
  const tagged = /^\t(.*?)\s*`json:"([^",]*)((?:,\w+)*)"[^`]*?protobuf:"\w+,(\d+),/gm;
  return new Map(
    [...body.matchAll(tagged)].map(([, declared = "", name = "", options = "", number]) => [
      Number(number),
      { name, zero: /(^|\s)\*/.test(declared) || !options.includes("omitempty") },
    ]),
  );
}

const scalars = ["string", "bool", "int32", "int64", "bytes", "double"];

const typeName = (type: string, home: string): string =>
  scalars.includes(type) ? type : schemaName(type.startsWith(".") ? type.slice(1) : `${home}.${type}`);

/** `k8s.io.api.core.v1.Pod` is `io.k8s.api.core.v1.Pod` in schemas. */
const schemaName = (protoName: string): string =>
  protoName.replace(/^k8s\.io\./, "io.k8s.").replace("apiextensions_apiserver", "apiextensions-apiserver");
