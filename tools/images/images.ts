import { components } from "../../cmd/csi-sidecars/components.ts";
import { type BuiltProgram, programs, testPrograms } from "../build/programs.ts";
import type { DebianTools, ImageDescription } from "./description.ts";

const linux = ["linux/amd64", "linux/arm64"] as const;
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const unprivileged = "65532:65532";

/** As upstream's images: root, because a driver's socket is root's; the manifests choose another user. */
const sidecars = { platforms: linux, programs: [program("csi-sidecars")], tools: [], user: "0:0", env: { PATH: path } };

/** What the hostpath driver calls to mount, and to copy volumes. */
const mountTools: readonly DebianTools[] = [
  { package: "mount", files: ["bin/mount", "bin/umount", "sbin/losetup"] },
  { package: "tar", files: ["bin/tar"] },
  { package: "gzip", files: ["bin/gzip"] },
  { package: "coreutils", files: ["bin/cp"] },
  ...["libacl1", "libattr1", "libblkid1", "libmount1", "libpcre2-8-0", "libselinux1", "libsmartcols1"].map((name) => ({
    package: name,
    files: [],
  })),
];

export const images: readonly ImageDescription[] = [
  { ...sidecars, name: "csi-sidecars", about: "The Kubernetes CSI sidecars in one process", entrypoint: ["/csi-sidecars"] },
  ...components.map(({ name, standalone }) => ({
    ...sidecars,
    name: standalone,
    about: `The ${name} of csi-sidecars alone`,
    entrypoint: [`/${standalone}`],
  })),
  ...clusterImages("snapshot-controller", "The controller of volume snapshots, one for each cluster"),
  ...clusterImages("snapshot-webhook", "The conversion and validation webhooks of volume snapshots"),
  {
    name: "hostpath",
    about: "A CSI driver that keeps volumes in directories, for tests",
    platforms: linux,
    programs: [program("hostpathplugin")],
    tools: mountTools,
    entrypoint: ["/hostpathplugin"],
    user: "0:0",
    env: { PATH: path },
  },
];

/** A program that runs once in a cluster, and those of its names that upstream has images of. */
function clusterImages(name: string, about: string): readonly ImageDescription[] {
  const built = program(name);
  return [name, ...built.otherNames].map((each) => ({
    name: each,
    about,
    platforms: linux,
    programs: [built],
    tools: [],
    entrypoint: [`/${each}`],
    user: unprivileged,
    env: { PATH: path },
  }));
}

function program(name: string): BuiltProgram {
  const found = [...programs, ...testPrograms].find((each) => each.name === name);
  if (!found) throw new Error(`${name} is not built: see tools/build/programs.ts`);
  return found;
}
