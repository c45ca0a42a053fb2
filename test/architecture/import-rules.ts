/** Which packages a package may import from. Tests may also use what `testWorld` lists. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/base": [],
  "packages/crds": [],
  "packages/kube": ["packages/base"],
  "packages/csi": ["packages/base"],
  "packages/translation": ["packages/base", "packages/kube"],
  "packages/controller": ["packages/base", "packages/kube", "packages/csi"],
  "packages/host": ["packages/base", "packages/kube", "packages/csi", "packages/translation"],
  "packages/diagnose": ["packages/base", "packages/kube", "packages/csi", "packages/translation", "packages/host"],
  "packages/hostpath": ["packages/base", "packages/csi"],
  "packages/csi-proxy": ["packages/base", "packages/csi"],
  "packages/testcluster": ["packages/base", "packages/crds", "packages/kube", "packages/csi", "packages/controller", "packages/host"],
  components: ["packages/base", "packages/kube", "packages/csi", "packages/translation", "packages/controller", "packages/host"],
  cmd: ["packages/base", "packages/kube", "packages/csi", "packages/host", "packages/diagnose", "components"],
  "cmd/csi-proxy": ["packages/base", "packages/csi", "packages/csi-proxy", "packages/host"],
  "cmd/hostpathplugin": ["packages/hostpath"],
  examples: ["packages/base", "packages/csi", "packages/csi-proxy"],
  "cmd/playground": [
    "packages/base",
    "packages/crds",
    "packages/kube",
    "packages/csi",
    "packages/controller",
    "packages/host",
    "packages/diagnose",
    "packages/testcluster",
    "packages/hostpath",
    "components",
  ],
};
const testWorld = ["packages/crds", "packages/testcluster", "packages/hostpath", "tools"];

/** Folders without rules: they build, measure and test the others. */
export const workshops: readonly string[] = ["tools", "test", "bench"];

/** `packages/kube/informer/store/store.ts` → `packages/kube`; `components/attacher/component.ts` → `components/attacher`. */
export function packageOf(path: string): string {
  return path
    .split("/")
    .slice(0, workshops.some((shop) => path.startsWith(`${shop}/`)) ? 1 : 2)
    .join("/");
}

/** Why a file may not import from a package, or `undefined` when it may. Both are paths below the repository's root. */
export function wrongEdge(file: string, imported: string): string | undefined {
  const [from, to] = [packageOf(file), packageOf(imported)];
  if (from !== to && to.startsWith("examples/")) return "nothing imports an example";
  if (from === to || workshops.includes(from)) return undefined;
  if (from.startsWith("components/") && to.startsWith("components/")) return "components never import each other";
  const rules = mayImport[from] ?? mayImport[from.split("/")[0] ?? ""];
  if (!rules) return `${from} has no rules: add them to test/architecture/import-rules.ts`;
  const allowed = isTest(file) ? [...rules, ...testWorld] : rules;
  if (!allowed.some((name) => to === name || to.startsWith(`${name}/`))) return `${from} may not import from ${to}`;
  return undefined;
}

/** Whether a file is a test or helps tests. */
export function isTest(file: string): boolean {
  return /\.test\.ts$/.test(file) || /\/testing(\/|\.ts$)/.test(file);
}
