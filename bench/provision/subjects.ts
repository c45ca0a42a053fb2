import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Subject } from "../attach/subjects.ts";

/** Ours, in both of its forms, and upstream's where there is one. */
export function subjectsOf(dist: string, peer: string | undefined): readonly [Subject, ...Subject[]] {
  const ours = (program: string, args: readonly string[] = []): Subject => {
    const path = join(dist, program);
    if (!existsSync(path)) throw new Error(`${path} does not exist: run \`npm run build\` first`);
    return { name: [program, ...args].join(" "), program: path, ours: true, args };
  };
  return [
    ours("csi-sidecars", ["--controllers=provisioner"]),
    ours("csi-provisioner"),
    ...(peer ? [{ name: "csi-provisioner, upstream", program: peer, ours: false, args: [] }] : []),
  ];
}
