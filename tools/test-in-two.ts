import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** The test files below the folders with our sources. */
export function testFiles(): readonly string[] {
  const files = new Bun.Glob("{bench,cmd,components,packages,test,tools}/**/*.test.ts").scanSync(root);
  return [...files].filter((file) => !file.includes("node_modules/")).sort();
}

/** Stories of whole programs. They wait most of the time, and build the programs into one folder: that is why they stay together. */
const stories = /^(test\/(artifacts|chaos|e2e)|cmd\/playground)\//;

/**
 * Runs test files in two processes beside each other, stories in one and everything else in the other. What the stories print is shown
 * when both are over. Answers with the exit code.
 */
export async function testInTwo(files: readonly string[], args: readonly string[], env = process.env): Promise<number> {
  const rest = files.filter((file) => !stories.test(file));
  const [aside, shown] = await Promise.all([
    run(
      files.filter((file) => stories.test(file)),
      args,
      env,
      "pipe",
    ),
    run(rest, args, env, "inherit"),
  ]);
  await new Promise((resolve) => process.stdout.write(aside.output, resolve));
  return aside.code || shown.code;
}

interface Ended {
  readonly code: number;
  readonly output: Buffer;
}

async function run(files: readonly string[], args: readonly string[], env: NodeJS.ProcessEnv, output: "inherit" | "pipe"): Promise<Ended> {
  if (files.length === 0) return { code: 0, output: Buffer.alloc(0) };
  const child = spawn(process.execPath, ["test", ...args, ...files.map((file) => `./${file}`)], {
    cwd: root,
    env,
    stdio: ["ignore", output, output],
  });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => parts.push(part));
  const [code] = await once(child, "close");
  return { code: typeof code === "number" ? code : 1, output: Buffer.concat(parts) };
}
