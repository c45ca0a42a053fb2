// Runs in the node's namespaces, started by main.ts: brings the node up, deploys, runs the sets of tests, and writes the summary.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@csi-sidecars/base";
import { deploy } from "./deploy/deploy.ts";
import { type ImageOptions, prepareImages } from "./images/prepare-images.ts";
import { giveSshAccess } from "./node/ssh-access.ts";
import { startNode } from "./node/start-node.ts";
import type { Options } from "./options.ts";
import { runSet } from "./suite/run-set.ts";
import { sets } from "./suite/sets.ts";
import { counts, type SetResult, succeeded, summaryOf } from "./suite/summary.ts";

const [, , settings = "", work = ""] = process.argv;
const options = JSON.parse(settings) as Options & ImageOptions;

async function main(): Promise<number> {
  const images = prepareImages(options, join(work, "images"));
  const node = await startNode({ work, logs: join(options.out, "logs"), images });
  console.log("the node is ready");
  await deploy(node.kubectl, options.driver ?? join(import.meta.dirname, "deploy", options.sidecars));
  console.log("the driver is registered");
  const sshAccess = options.sets.includes("disruptive") ? giveSshAccess(node.files, node.kubelet) : {};
  const results: SetResult[] = [];
  for (const name of options.sets) {
    const { focus, skip, parallel } = sets[name];
    const result = await runSet(node, {
      ...sets[name],
      name,
      sshAccess,
      definition: options.definition ?? join(import.meta.dirname, "suite/hostpath.yaml"),
      out: join(options.out, name),
      limit: options.limit,
      focus: options.focus ?? focus,
      skip: [...(options.focus === undefined ? skip : []), ...options.skip],
      parallel: options.parallel ?? parallel,
    });
    console.log(`${name}: ${counts(result.tests)} in ${Math.round(result.seconds)} s`);
    results.push(result);
  }
  const summary = summaryOf(results);
  writeFileSync(join(options.out, "summary.txt"), `${summary}\n`);
  console.log(summary);
  if (options.hold) {
    console.log(`the node stays until Ctrl-C; kubectl there: ${node.kubectl.path} --kubeconfig=${node.kubectl.kubeconfig}`);
    for (;;) await sleep(60_000);
  }
  return results.every(succeeded) ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`e2e: ${messageOf(error)}`);
    process.exit(1);
  },
);
