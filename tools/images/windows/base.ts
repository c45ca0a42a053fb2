import { type Entry, file, folder } from "../archive/entry.ts";
import { emptyRegistryHive } from "./registry-hive.ts";

/**
 * The base of an image for HostProcess containers, which has nothing of Windows: such a container runs in the host's own system. Windows takes a
 * layer as the lowest only if it has these five hives; Windows Server 2025 reads them, earlier versions only look whether they are there.
 */
export function hostProcessBase(license: string): readonly Entry[] {
  const hives = ["DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"];
  return [
    folder("Files"),
    file("Files/License.txt", license),
    ...hives.map((name) => file(`Files/Windows/System32/config/${name}`, emptyRegistryHive())),
  ];
}
