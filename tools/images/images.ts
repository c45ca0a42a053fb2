import { components } from "../../cmd/csi-sidecars/components.ts";
import { type BuiltProgram, programs, testPrograms } from "../build/programs.ts";
import type { DebianTools, ImageDescription } from "./description.ts";

const linux = ["linux/amd64", "linux/arm64"] as const;
const linuxAndWindows = [...linux, "windows/amd64"] as const;
/** As upstream's images: a driver's socket is root's; the manifests choose another user where the socket permits. */
const root = "0:0";
const unprivileged = "65532:65532";

/** Sidecars of a driver's node pods, which Windows has as well. */
const onEveryNode: readonly string[] = ["livenessprobe", "node-driver-registrar"];

/** What the hostpath driver calls to mount, and to copy volumes. */
const mountTools: readonly DebianTools[] = [
  { package: "mount", files: ["bin/mount", "bin/umount", "sbin/losetup"] },
  { package: "tar", files: ["bin/tar"] },
  { package: "gzip", files: ["bin/gzip"] },
  // By which tar calls gzip.
  { package: "dash", files: ["bin/sh"] },
  { package: "coreutils", files: ["bin/cp"] },
  ...["libacl1", "libattr1", "libblkid1", "libmount1", "libpcre2-8-0", "libselinux1", "libsmartcols1"].map((library) => ({
    package: library,
    files: [],
  })),
];

/** The images of a release. */
export const shippedImages: readonly ImageDescription[] = [
  {
    name: "csi-sidecars",
    about: "The Kubernetes CSI sidecars in one process",
    platforms: linuxAndWindows,
    program: program("csi-sidecars"),
    startedAs: "csi-sidecars",
    tools: [],
    user: root,
  },
  ...components.map(({ name, standalone }) => ({
    name: standalone,
    about: `The ${name} of csi-sidecars alone`,
    platforms: onEveryNode.includes(name) ? linuxAndWindows : linux,
    program: program("csi-sidecars"),
    startedAs: standalone,
    tools: [],
    user: root,
  })),
  ...clusterImages("snapshot-controller", "The controller of volume snapshots, one for each cluster"),
  ...clusterImages("snapshot-webhook", "The conversion and validation webhooks of volume snapshots"),
  {
    name: "csi-proxy",
    about: "The server of CSI Proxy's API v1, for HostProcess containers",
    platforms: ["windows/amd64"],
    program: program("csi-proxy"),
    startedAs: "csi-proxy",
    tools: [],
    user: "",
  },
];

/** For tests and examples. */
export const testImages: readonly ImageDescription[] = [
  {
    name: "hostpath",
    about: "A CSI driver that keeps volumes in directories, for tests",
    platforms: linux,
    program: program("hostpathplugin"),
    startedAs: "hostpathplugin",
    tools: mountTools,
    user: root,
  },
];

export const images: readonly ImageDescription[] = [...shippedImages, ...testImages];

/** A program that runs once in a cluster, and those of its names that upstream has images of. */
function clusterImages(name: string, about: string): readonly ImageDescription[] {
  const built = program(name);
  return [name, ...built.otherNames].map((startedAs) => ({
    name: startedAs,
    about,
    platforms: linux,
    program: built,
    startedAs,
    tools: [],
    user: unprivileged,
  }));
}

function program(name: string): BuiltProgram {
  const found = [...programs, ...testPrograms].find((each) => each.name === name);
  if (!found) throw new Error(`${name} is not built: see tools/build/programs.ts`);
  return found;
}
