import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand } from "../machine/run-command.ts";

const folders = ["etc", "proc", "sys", "dev", "run", "root", "home", "mnt", "var", "usr/bin", "usr/sbin", "sbin", "uploads"];

/** Programs of this machine that tests and the hostpath driver call with options that those of busybox do not have. */
const machinePrograms = [
  ...["sh", "bash", "base64", "blockdev", "cat", "chmod", "chown", "cp", "dd", "df", "dirname", "du", "env", "find", "findmnt", "grep"],
  ...[
    "head",
    "id",
    "losetup",
    "ls",
    "lsblk",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mkfs.ext4",
    "mknod",
    "mount",
    "mv",
    "nsenter",
    "od",
    "readlink",
  ],
  ...["rm", "rmdir", "sed", "seq", "sha256sum", "sleep", "sort", "stat", "sync", "tail", "tar", "tee", "test", "timeout", "touch"],
  ...["truncate", "umount", "wc"],
];

/** A folder with busybox under all its names. */
export function makeBusyboxFilesystem(root: string): void {
  for (const folder of [...folders, "bin"]) mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);
  copyFileSync("/bin/busybox", join(root, "bin/busybox"));
  for (const name of runCommand("/bin/busybox", ["--list"]).split("\n").filter(Boolean)) {
    if (name !== "busybox") symlinkSync("/bin/busybox", join(root, "bin", name));
  }
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nnogroup:x:65534:\n");
}

/** Adds this machine's programs. Its shell among them: that of Debian's static busybox runs its own programs, whatever is in PATH. */
export function addMachinePrograms(root: string): void {
  for (const name of machinePrograms) {
    const path = Bun.which(name, { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" });
    if (!path) throw new Error(`${name} not found`);
    rmSync(join(root, "bin", name), { force: true });
    addProgram(root, path, join("bin", name));
  }
}

/** Copies a program and the libraries it needs. */
export function addProgram(root: string, path: string, target: string): void {
  mkdirSync(dirname(join(root, target)), { recursive: true });
  copyFileSync(realpathSync(path), join(root, target));
  for (const library of librariesOf(path)) {
    const copy = join(root, library);
    mkdirSync(dirname(copy), { recursive: true });
    if (!existsSync(copy)) copyFileSync(realpathSync(library), copy);
  }
}

function librariesOf(program: string): string[] {
  const { stdout } = Bun.spawnSync(["ldd", program], { stderr: "ignore" });
  return stdout
    .toString()
    .split("\n")
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}
