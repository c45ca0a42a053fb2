import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** What shipped programs are built with. */
const shippedFlags: readonly string[] = [
  "--compile",
  "--minify",
  "--bytecode",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

/** Builds one program as it would ship; `extra` are further flags of `bun build`. */
export async function compile(entry: string, outfile: string, extra: readonly string[] = []): Promise<string> {
  const child = spawn(process.execPath, ["build", ...shippedFlags, ...extra, entry, "--outfile", outfile], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`bun build ${entry} failed:\n${complaint}`);
  return outfile;
}
