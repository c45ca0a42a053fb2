import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import { UserError } from "../../cmd/playground/user-error.ts";
import { readArguments, runCommand } from "../run-command.ts";
import { namesOf } from "./names.ts";
import { withComponent, writeComponent } from "./write-component.ts";

const root = join(import.meta.dirname, "../..");
const help = `npm run new-component -- <name>: writes components/<name> from the template, registers it in csi-sidecars, and says what is
left to do. docs/new-sidecar.md says what it has to be.
`;

const registry = join(root, "cmd/csi-sidecars/components.ts");

function run(argv: readonly string[]): number {
  const [name, ...more] = readArguments(() => parseArgs({ args: [...argv], allowPositionals: true, options: {} })).positionals;
  if (name === undefined || more.length > 0) throw new UserError("give one name: npm run new-component -- volume-cloner", 2);
  const taken = [...components, ...separate].flatMap((one) => [one.name, ...("aliases" in one ? (one.aliases ?? []) : [])]);
  const names = namesOf(name, taken);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeComponent(names, join(root, "components"), version);
  writeFileSync(registry, withComponent(readFileSync(registry, "utf8"), names));
  console.log(`components/${names.kebab} is written and registered. Next:

npm install                # links the new workspace
npm run format
npm run generate:docs      # its flags and permissions
npm run generate:deploy
npm test -- ./components/${names.kebab} ./test/contract

docs/new-sidecar.md says what makes it a good one.`);
  return 0;
}

await runCommand("new-component", help, run);
