/** What a running program serves under `/metrics`. */
export class Exposition {
  /** The types of the metrics by name. */
  readonly types: ReadonlyMap<string, string>;
  /** The labels of the series by the name of the series, `le` included. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;

  readonly #pages: readonly string[];

  constructor(...pages: readonly string[]) {
    this.#pages = pages;
    const types = new Map<string, string>();
    const labels = new Map<string, Set<string>>();
    for (const line of pages.flatMap((page) => page.split("\n"))) {
      const [, named, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (named && type) types.set(named, type);
      const [, series, list = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      if (series === undefined) continue;
      const known = labels.get(series) ?? new Set();
      labels.set(series, known);
      for (const [, label = ""] of list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    }
    this.types = types;
    this.labels = labels;
  }

  /** The values of a label of a series. */
  valuesOf(series: string, label: string): readonly string[] {
    const found = this.#pages.flatMap((page) => [...page.matchAll(new RegExp(`^${series}\\{(?:.*,)?${label}="([^"]*)"`, "gm"))]);
    return [...new Set(found.map(([, value = ""]) => value))];
  }
}
