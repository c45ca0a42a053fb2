/** A platform that binaries are built for, and the npm package that brings Bun for it. */
export interface Target {
  readonly name: string;
  readonly bunTarget: string;
  readonly runtimePackage: string;
  readonly executable: "bun" | "bun.exe";
}

export const targets: readonly Target[] = [
  { name: "linux-amd64", bunTarget: "bun-linux-x64", runtimePackage: "@oven/bun-linux-x64", executable: "bun" },
  { name: "linux-arm64", bunTarget: "bun-linux-arm64", runtimePackage: "@oven/bun-linux-aarch64", executable: "bun" },
  { name: "linux-amd64-musl", bunTarget: "bun-linux-x64-musl", runtimePackage: "@oven/bun-linux-x64-musl", executable: "bun" },
  { name: "linux-arm64-musl", bunTarget: "bun-linux-arm64-musl", runtimePackage: "@oven/bun-linux-aarch64-musl", executable: "bun" },
  { name: "windows-amd64", bunTarget: "bun-windows-x64", runtimePackage: "@oven/bun-windows-x64", executable: "bun.exe" },
];
