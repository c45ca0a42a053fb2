/** What the parts of a user agent are taken from. */
export interface UserAgentParts {
  /** The program's name, like `csi-attacher`. */
  readonly name: string;
  readonly version: string;
  /** The commit it was built from, if known. */
  readonly commit?: string;
  /** As Node names them; those of this process unless told. */
  readonly platform?: string;
  readonly arch?: string;
}

const goPlatforms: Readonly<Record<string, string>> = { win32: "windows" };
const goArchs: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" };

/** The user agent in client-go's form, so that audit logs and priority-and-fairness rules written for the Go sidecars still match. */
export function userAgent({ name, version, commit, platform = process.platform, arch = process.arch }: UserAgentParts): string {
  const system = `${goPlatforms[platform] ?? platform}/${goArchs[arch] ?? arch}`;
  return `${name}/${version} (${system}) kubernetes/${commit ? commit.slice(0, 7) : "unknown"}`;
}
