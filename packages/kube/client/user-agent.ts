/** Which program speaks: API server audit logs and `managedFields` name it. */
export interface Program {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
  /** Node's words (`process.platform`, `process.arch`); written as Go spells them. */
  readonly platform: string;
  readonly arch: string;
}

const goPlatforms: Readonly<Record<string, string>> = { win32: "windows" };
const goArchitectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** `csi-sidecars/v1.0.0 (linux/amd64) kubernetes/1234567`: the form of every Go client, so that log queries keep working. */
export function userAgent({ name, version, commit, platform, arch }: Program): string {
  const system = `${goPlatforms[platform] ?? platform}/${goArchitectures[arch] ?? arch}`;
  return `${name}/${version || "unknown"} (${system}) kubernetes/${commit.slice(0, 7) || "unknown"}`;
}
