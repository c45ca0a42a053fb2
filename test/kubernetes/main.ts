// Upstream's Kubernetes storage suite on a real kubelet: `npm run e2e`. See docs/conformance.md.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { buildProjectImages, individualImages, ourImages } from "./images/project-images.ts";
import { runIsolated } from "./machine/isolated.ts";
import { prepareMachine, whyImpossible, whyUnprepared } from "./machine/prerequisites.ts";
import { sshServer } from "./node/ssh-access.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { setsWithUpstreamManifests } from "./suite/sets.ts";

async function main(): Promise<number> {
  if (process.argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const options = readOptions(process.argv.slice(2), process.env);
  const impossible = whyImpossible() ?? (options.ifPossible ? whyUnprepared() : undefined);
  if (impossible && options.ifPossible) {
    console.log(`e2e: skipped: ${impossible}`);
    return 0;
  }
  if (impossible) throw new Error(impossible);
  if (options.sets.includes("disruptive") && !existsSync(sshServer)) {
    throw new Error("--set disruptive: tests that restart the kubelet need an ssh server: install Debian's openssh-server");
  }
  const started = performance.now();
  prepareMachine();
  const projectImages = imagesFor(options);
  buildProjectImages(projectImages);
  const code = await runIsolated(join(import.meta.dirname, "suite-on-node.ts"), { ...options, projectImages });
  console.error(`e2e: ${Math.round((performance.now() - started) / 1000)} s in all`);
  return code;
}

/** The driver; the sidecars unless those of others run; and for upstream's manifests each sidecar on its own. */
function imagesFor({ sets, sidecars }: Options): readonly string[] {
  if (sidecars === "peers") return ["hostpath"];
  const upstreamManifests = sets.some((name) => setsWithUpstreamManifests.includes(name));
  return [...ourImages, ...(upstreamManifests ? individualImages : [])];
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`e2e: ${messageOf(error)}`);
    process.exit(1);
  },
);
