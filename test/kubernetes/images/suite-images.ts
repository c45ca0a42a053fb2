import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../machine/run-command.ts";
import { ImageArchive } from "./image-archive.ts";
import { addMachinePrograms, addProgram, makeBusyboxFilesystem } from "./root-filesystem.ts";

/** `registry.k8s.io/e2e-test-images/busybox:1.37.0-1` → `busybox` */
export function shortName(image: string): string {
  return image.slice(image.lastIndexOf("/") + 1).split(":", 1)[0] ?? "";
}

/** The images that upstream's suite runs. */
export function suiteImageNames(suite: string): string[] {
  return runCommand(suite, ["--list-images"]).split("\n").filter(Boolean);
}

/** Ends at once when it is told to, and otherwise never. */
const pause = ["/bin/busybox", "sh", "-c", "trap exit TERM INT; sleep 2147483647 & wait"];
const wait = ["sleep", "infinity"];

/**
 * Makes images of this machine's programs under the names of those that the storage tests run, without a registry, and returns the name
 * of the one that keeps a pod's namespaces. Images that only other tests need are left out.
 */
export function makeSuiteImages(names: readonly string[], agnhost: string, work: string, archiveFile: string): string {
  const [small, large] = [join(work, "busybox"), join(work, "agnhost")];
  for (const folder of [small, large]) {
    mkdirSync(folder, { recursive: true });
    makeBusyboxFilesystem(folder);
  }
  addMachinePrograms(large);
  addProgram(large, agnhost, "agnhost");
  const archive = new ImageArchive(join(work, "layout"));
  const [busyboxLayers, agnhostLayers] = [[archive.addLayer(small)], [archive.addLayer(large)]];
  // Registries that ask for a password are part of a test: theirs must not be here.
  const named = (name: string) => names.filter((image) => shortName(image) === name && !image.includes("authenticated"));
  archive.addImage({ names: named("pause"), layers: busyboxLayers, entrypoint: pause });
  archive.addImage({ names: named("busybox"), layers: busyboxLayers, command: ["sh"] });
  archive.addImage({ names: named("agnhost"), layers: agnhostLayers, entrypoint: ["/agnhost"], command: ["pause"] });
  for (const name of ["nginx", "glibc-dns-testing"]) archive.addImage({ names: named(name), layers: agnhostLayers, command: wait });
  archive.write(archiveFile);
  const [pauseImage] = named("pause");
  if (!pauseImage) throw new Error("the suite names no image for pauses");
  return pauseImage;
}
