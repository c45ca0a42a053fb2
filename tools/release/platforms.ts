import { targets } from "../build/runtime.ts";

/** What upstream's sidecars are built for. */
const upstreamPlatforms = ["linux-amd64", "linux-arm", "linux-arm64", "linux-ppc64le", "linux-s390x", "windows-amd64"];

/** The part of the release notes about platforms. */
export function platformNotes(): readonly string[] {
  const built = targets.map(({ name }) => name);
  const missing = upstreamPlatforms.filter((name) => !built.includes(name));
  return [
    `Built for ${built.join(", ")}.`,
    `Not built, unlike upstream's sidecars: ${missing.join(", ")}. The runtime does not exist for them.`,
  ];
}
