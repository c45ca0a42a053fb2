// Volumes that come and go on a real kubelet while programs are killed: `npm run soak -- --hours 2`. See bench/README.md.
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { buildProjectImages, ourImages } from "../images/project-images.ts";
import { runIsolated } from "../machine/isolated.ts";
import { prepareMachine, whyImpossible } from "../machine/prerequisites.ts";
import { readSoakOptions, usage } from "./options.ts";

async function main(): Promise<number> {
  if (process.argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const options = readSoakOptions(process.argv.slice(2), Date.now());
  const impossible = whyImpossible();
  if (impossible) throw new Error(impossible);
  prepareMachine();
  buildProjectImages(ourImages);
  return await runIsolated(join(import.meta.dirname, "soak-on-node.ts"), options);
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`soak: ${messageOf(error)}`);
    process.exit(1);
  },
);
