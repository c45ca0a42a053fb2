/** A platform that binaries are built for, and the npm package that brings Bun for it. */
export interface Target {
  readonly name: string;
  readonly bunTarget: string;
  readonly runtimePackage: string;
  readonly executable: "bun" | "bun.exe";
  /**
   * Compiled ahead it starts in 15 ms instead of 50 and takes 5 MB less memory, for 5 MB of file. Windows' runtime is so large that
   * the file would be above its budget.
   */
  readonly bytecode: boolean;
}

const linux = { executable: "bun", bytecode: true } as const;

export const targets: readonly Target[] = [
  { name: "linux-amd64", bunTarget: "bun-linux-x64", runtimePackage: "@oven/bun-linux-x64", ...linux },
  { name: "linux-arm64", bunTarget: "bun-linux-arm64", runtimePackage: "@oven/bun-linux-aarch64", ...linux },
  { name: "linux-amd64-musl", bunTarget: "bun-linux-x64-musl", runtimePackage: "@oven/bun-linux-x64-musl", ...linux },
  { name: "linux-arm64-musl", bunTarget: "bun-linux-arm64-musl", runtimePackage: "@oven/bun-linux-aarch64-musl", ...linux },
  {
    name: "windows-amd64",
    bunTarget: "bun-windows-x64",
    runtimePackage: "@oven/bun-windows-x64",
    executable: "bun.exe",
    bytecode: false,
  },
];
