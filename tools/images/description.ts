export const platforms = ["linux/amd64", "linux/arm64", "windows/amd64"] as const;
export type Platform = (typeof platforms)[number];

/** An image of one program: what is in it, and how it is started. */
export interface ImageDescription {
  readonly name: string;
  /** A phrase, for the label. */
  readonly about: string;
  readonly platforms: readonly Platform[];
  /** In the root of the image, with links for its other names. */
  readonly program: { readonly name: string; readonly otherNames: readonly string[] };
  /** The name that it is started under: its own or one of the others. */
  readonly startedAs: string;
  /** Of Debian's packages, besides what every image for Linux has. */
  readonly tools: readonly DebianTools[];
  /** `uid:gid`; on Windows the pod says it. */
  readonly user: string;
}

/** Files of a package, as paths without a slash at the start. The libraries that they need come along, from the packages that are named. */
export interface DebianTools {
  readonly package: string;
  readonly files: readonly string[];
}

/** `linux/amd64` is the architecture `amd64` of the system `linux`. */
export function partsOf(platform: Platform): { readonly os: string; readonly architecture: string } {
  const [os = "", architecture = ""] = platform.split("/");
  return { os, architecture };
}
