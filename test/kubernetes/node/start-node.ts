import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../../../packages/testcluster/real/process.ts";
import type { PreparedImages } from "../images/prepare-images.ts";
import { makeCgroup } from "../machine/cgroups.ts";
import { makeAccess } from "./access.ts";
import { nodeName } from "./addresses.ts";
import { importImages, nameImage, startContainerd } from "./containerd.ts";
import { startControlPlane } from "./control-plane.ts";
import { type NodeFiles, nodeFiles } from "./files.ts";
import { type Kubectl, kubectlOf } from "./kubectl.ts";
import { kubeletCommand } from "./kubelet.ts";
import { prepareNamespaces } from "./namespaces.ts";
import { type ProgramPaths, programPaths } from "./program-paths.ts";
import { waitFor } from "./wait-for.ts";

/** A cluster of one node with a real kubelet. It ends with the namespaces that it is in. */
export interface Node {
  readonly files: NodeFiles;
  readonly paths: ProgramPaths;
  readonly kubectl: Kubectl;
  restartApiServer(): Promise<void>;
  /** Its command line. */
  readonly kubelet: readonly string[];
}

export interface NodeOptions {
  /** A folder of the node's own. */
  readonly work: string;
  /** Where the programs' logs go. */
  readonly logs: string;
  readonly images: PreparedImages;
}

/** Starts the node in the namespaces of this process. */
export async function startNode({ work, logs, images }: NodeOptions): Promise<Node> {
  const files = nodeFiles(work, logs);
  const paths = programPaths(process.env);
  prepareNamespaces(files);
  await startContainerd(files, images.pauseImage);
  for (const archive of images.archives) importImages(archive);
  for (const { image, name } of images.otherNames) nameImage(image, name);
  const access = makeAccess(files);
  const { restartApiServer } = await startControlPlane(files, paths, access);
  const kubectl = kubectlOf(paths, access.kubeconfig("admin"));
  kubectl.apply(readFileSync(join(import.meta.dirname, "local-images.yaml"), "utf8"));
  const kubeconfig = access.kubeconfig("node");
  const cgroup = makeCgroup(work);
  const [path, ...args] = kubeletCommand(files, paths, kubeconfig, cgroup);
  const { failed } = startProgram("kubelet", path, args, files.log("kubelet"));
  await Promise.race([waitFor(nodeName, () => kubectl("wait", "--for=condition=Ready", `node/${nodeName}`, "--timeout=1s")), failed]);
  await waitFor("the default service account", () => kubectl("get", "--namespace=default", "serviceaccount", "default"));
  return { files, paths, kubectl, kubelet: [path, ...args], restartApiServer };
}
