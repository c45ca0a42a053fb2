/** An OpenAPI document of one group version, as far as it is read here. */
export interface PublishedDocument {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** A kind whose schema is wanted. */
export interface WantedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The schemas of the wanted kinds and of everything they refer to, by name, without a word of description. */
export function keepSchemas(documents: readonly PublishedDocument[], wanted: readonly WantedKind[]): Record<string, unknown> {
  const all = new Map(documents.flatMap(({ components }) => Object.entries(components.schemas)));
  const kept = new Map<string, unknown>();
  const keep = (name: string): void => {
    if (kept.has(name)) return;
    const schema = all.get(name);
    if (schema === undefined) throw new Error(`the server refers to the schema ${name} and does not publish it`);
    kept.set(name, withoutDescriptions(schema));
    for (const referred of referencesOf(schema)) keep(referred);
  };
  for (const kind of wanted) {
    const found = [...all].find(([, schema]) => describes(schema, kind));
    if (!found) throw new Error(`the server publishes no schema of ${kind.group}/${kind.version} ${kind.kind}`);
    keep(found[0]);
  }
  return Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One schema on each line: small, and a new release shows as a readable difference. */
export function schemasText(schemas: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

function describes(schema: unknown, { group, version, kind }: WantedKind): boolean {
  const described = membersOf(schema)["x-kubernetes-group-version-kind"];
  return (
    Array.isArray(described) &&
    described.some((one: unknown) => {
      const names = membersOf(one);
      return names.group === group && names.version === version && names.kind === kind;
    })
  );
}

const referencesOf = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name);

/** A property may be called "description" too: only texts are the server's sentences. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => name !== "description" || typeof member !== "string");
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutDescriptions(member)]));
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null ? { ...value } : {});
