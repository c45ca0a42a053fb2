import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** How one case of the suite ended. */
export interface SanityCase {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped" | "pending";
  /** Why it was skipped, or how it failed. */
  readonly message: string;
}

/** Runs csi-sanity against a socket; `folder` holds what it makes. */
export async function runCsiSanity(program: string, socket: string, folder: string, flags: readonly string[]): Promise<SanityCase[]> {
  const report = join(folder, "junit.xml");
  const child = spawn(
    program,
    [
      `--csi.endpoint=unix://${socket}`,
      `--csi.mountdir=${join(folder, "mount")}`,
      `--csi.stagingdir=${join(folder, "stage")}`,
      `--ginkgo.junit-report=${report}`,
      "--ginkgo.no-color",
      ...flags,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  const collect = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  await once(child, "close");
  const xml = await readFile(report, "utf8").catch(() => {
    throw new Error(`csi-sanity wrote no report; it said\n${output}`);
  });
  return casesIn(xml);
}

/** The cases in a JUnit report of ginkgo's; set-up nodes of the suite itself are left out. */
function casesIn(xml: string): SanityCase[] {
  return [...xml.matchAll(/<testcase name="([^"]*)"[^>]* status="([^"]*)"[^>]*>(.*?)<\/testcase>/gs)].flatMap(
    ([, name = "", status = "", body = ""]) => {
      if (!name.startsWith("[It] ")) return [];
      const message = /<(?:failure|skipped|error)[^>]* message="([^"]*)"/.exec(body)?.[1] ?? "";
      const known = (["passed", "skipped", "pending"] as const).find((candidate) => candidate === status);
      return [{ name: name.slice(5), status: known ?? "failed", message }];
    },
  );
}
