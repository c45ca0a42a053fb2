export const platforms = ["linux/amd64", "linux/arm64", "windows/amd64"] as const;
export type Platform = (typeof platforms)[number];

/** An image: which programs and files it has, and how it is started. */
export interface ImageDescription {
  readonly name: string;
  /** One sentence, for the label. */
  readonly about: string;
  readonly platforms: readonly Platform[];
  /** Built from a folder in cmd/, in the root of the image. */
  readonly programs: readonly { readonly name: string; readonly otherNames: readonly string[] }[];
  /** Programs of Debian's packages, besides what every image has; the libraries that they need come along. */
  readonly tools: readonly DebianTools[];
  readonly entrypoint: readonly string[];
  /** `uid:gid`; empty for Windows, where the pod says it. */
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Files of a package. */
export interface DebianTools {
  readonly package: string;
  readonly files: readonly string[];
}
