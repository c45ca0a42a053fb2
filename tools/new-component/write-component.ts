import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cmd/playground/user-error.ts";
import { type Names, renamed } from "./names.ts";

const template = join(import.meta.dirname, "template");

/** Writes the template into a new folder under the component's name, with the version of the repository. Returns the folder. */
export function writeComponent(names: Names, folder: string, version: string): string {
  const target = join(folder, names.kebab);
  if (existsSync(target)) throw new UserError(`${target} exists already`);
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(template)) {
    const text = renamed(readFileSync(join(template, name), "utf8"), names);
    writeFileSync(
      join(target, name),
      name === "package.json" ? `${JSON.stringify({ ...JSON.parse(text), version }, undefined, 2)}\n` : text,
    );
  }
  return target;
}

/** The list of what `--controllers` can select, with a new component at its end. */
export function withComponent(source: string, { kebab, camel }: Names): string {
  const line = `import { ${camel} } from "@csi-sidecars/${kebab}";`;
  const lines = source.split("\n");
  const imports = lines.filter((each) => each.startsWith("import "));
  const place = imports.find((each) => moduleOf(each) > moduleOf(line));
  lines.splice(place === undefined ? imports.length : lines.indexOf(place), 0, line);
  const begin = lines.findIndex((each) => each.startsWith("export const components"));
  const end = lines.indexOf("];", begin);
  if (begin < 0 || end < 0) throw new UserError("cmd/csi-sidecars/components.ts has no list of components");
  lines.splice(end, 0, `  ${camel},`);
  return lines.join("\n");
}

const moduleOf = (line: string) => line.split('"')[1] ?? "";
