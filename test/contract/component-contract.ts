import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Component, flagsTable, type Program, readCommandLine } from "@csi-sidecars/host";

/** What every component has to be for the process, its documentation and its users, whatever it does. Returns what it is not. */
export function contractProblems(component: Component, folder: string): readonly string[] {
  return [...names(component), ...permissions(component), ...commandLines(component), ...files(component, folder)];
}

function names({ name, standalone, aliases = [], leadership, legacyLease }: Component): readonly string[] {
  const all = [name, ...aliases];
  return [
    ...all.filter((one) => !/^[a-z][a-z0-9-]*$/.test(one)).map((one) => `${one} is no name of a controller`),
    ...(new Set(all).size < all.length ? ["a name is there twice"] : []),
    ...(/^[a-z][a-z0-9-]*$/.test(standalone) ? [] : [`${standalone} is no name of a program`]),
    ...(leadership !== "none" && !legacyLease?.("driver.example.com") ? ["it is elected, and its program has no lease"] : []),
  ];
}

/** With default flags it asks for no more than reading what it uses: nothing by wildcard, no roles, no secrets but to get them. */
function permissions(component: Component): readonly string[] {
  const { kube } = component;
  const line = readCommandLine(individual(component), []);
  if (line.asks !== "run") return [];
  const { cluster, namespaced } = component.rbac(line.settings.of(component));
  const rules = [...cluster, ...namespaced];
  const wild = rules.filter(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs].includes("*"));
  const granting = rules.filter(({ apiGroups }) => apiGroups.includes("rbac.authorization.k8s.io"));
  const needless = !kube && rules.length > 0;
  const strangeGates = rules.filter(({ gate }) => gate !== undefined && !Object.hasOwn(component.gates ?? {}, gate));
  return [
    ...(wild.length > 0 ? ["a rule has a wildcard"] : []),
    ...(granting.length > 0 ? ["a rule is about roles"] : []),
    ...(needless ? ["it has rules, and does not talk to the API server"] : []),
    ...strangeGates.map(({ gate }) => `a rule is for the gate ${gate}, which it does not have`),
  ];
}

function commandLines(component: Component): readonly string[] {
  const { name, flags } = component;
  const all: Program = { form: "all-in-one", name: "csi-sidecars", components: [component] };
  const told = readCommandLine(all, ["--help"]);
  const help = told.asks === "nothing" ? "" : JSON.stringify(told);
  const alone = readCommandLine(individual(component), []);
  const selected = readCommandLine(all, [`--controllers=${name}`]);
  return [
    ...(alone.asks === "run" ? [] : ["its program does not take an empty command line"]),
    ...(selected.asks === "run" && selected.settings.enabled.includes(name) ? [] : [`--controllers=${name} does not select it`]),
    ...Object.entries(flags)
      .filter(([flag, { hidden }]) => !hidden && !help.includes(`--${name}-${flag}`))
      .map(([flag]) => `--help does not show --${name}-${flag}`),
    ...Object.entries(flags).flatMap(([flag, { help: text }]) => (/\.$/.test(text) ? [] : [`the help of --${flag} is no sentence`])),
  ];
}

const individual = (component: Component): Program => ({ form: "individual", name: component.standalone, component });

function files(component: Component, folder: string): readonly string[] {
  const missing = ["package.json", "README.md", "component.ts"].filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) return missing.map((name) => `${name} is missing`);
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const readme = plain(readFileSync(join(folder, "README.md"), "utf8"));
  return [
    ...(name === `@csi-sidecars/${component.name}` ? [] : [`package.json is about ${name}`]),
    ...(exports["."] === "./component.ts" ? [] : ["package.json does not export component.ts"]),
    ...(readme.includes(plain(flagsTable(component))) ? [] : ["README.md does not have its flags as they are"]),
  ];
}

/** Without the padding that the formatter gives tables. */
const plain = (markdown: string) => markdown.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
