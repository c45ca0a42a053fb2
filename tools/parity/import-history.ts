import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { UserError } from "../../cmd/playground/user-error.ts";
import { readArguments, runCommand } from "../run-command.ts";
import { importHistory } from "./rewrite-history.ts";
import { branchOf } from "./upstream-changes.ts";

const root = join(import.meta.dirname, "../..");

const help = `npm run parity:history -- --clone <folder> [options]: brings the history of one of upstream's repositories into
refs/archaeology/<name> of this one, for reading only:

  git log refs/archaeology/external-attacher -- upstream/external-attacher/pkg/controller

Every commit has its files below upstream/<name>/ and says where it came from. No branch, no index and no working tree is touched, and
a push of branches and tags leaves these refs out.

  --clone <folder>   a complete clone of upstream's repository
  --name <name>      what it is called here (default: that of the folder)
  --branch <branch>  whose history it is (default: master)
  --into <folder>    another repository than this one
`;

function run(argv: readonly string[]): number {
  const text = { type: "string" } as const;
  const options = { clone: text, name: text, branch: text, into: text };
  const { clone, name, branch = "master", into = root } = readArguments(() => parseArgs({ args: [...argv], options })).values;
  if (clone === undefined) throw new UserError("--clone is missing: the folder of a clone of upstream's repository", 2);
  const called = name ?? basename(resolve(clone)).replace(/\.git$/, "");
  if (!/^[A-Za-z0-9][\w-]*$/.test(called)) throw new UserError(`${JSON.stringify(called)} cannot be part of a ref: give a --name`, 2);
  const tip = branchOf(clone, branch);
  if (!tip) throw new UserError(`${clone} has no branch ${branch}: give another --branch`);
  const { ref, commits } = importHistory({ clone: resolve(clone), tip, into: resolve(into), name: called });
  console.log(`${commits} commits in ${ref}\ngit log ${ref} -- upstream/${called}`);
  return 0;
}

await runCommand("import-history", help, run);
