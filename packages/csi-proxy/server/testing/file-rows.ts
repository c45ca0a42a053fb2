import { error, type MethodRow, path, rowsOf } from "./method-row.ts";
import type { RecordedCall } from "./recorded-handlers.ts";
import type { Field } from "./wire-fields.ts";

const source = "C:\\var\\lib\\kubelet\\plugins\\x";
const oldFiles = rowsOf("filesystem", "v1alpha1 v1beta1");
const newFiles = rowsOf("filesystem", "v1beta2 v1 v2alpha1");
const onPath: Field = ["path:1 s", path];
const context: Field = ["context:2 enum PathContext", 1];
const link: readonly Field[] = [
  ["source_path:1 s", source],
  ["target_path:2 s", path],
];
const linked = { sourcePath: source, targetPath: path };

export const filesystemRows: readonly MethodRow[] = [
  oldFiles("PathExists", [onPath, context], [error, ["exists:2 b", true]], ["pathExists", { path }]),
  newFiles("PathExists", [onPath], [["exists:1 b", true]], ["pathExists", { path }]),
  oldFiles("Mkdir", [onPath, context], [error], ["mkdir", { path }]),
  newFiles("Mkdir", [onPath], [], ["mkdir", { path }]),
  oldFiles("Rmdir", [onPath, context, ["force:3 b", true]], [error], ["rmdir", { path, force: true }]),
  newFiles("Rmdir", [onPath, ["force:2 b", true]], [], ["rmdir", { path, force: true }]),
  rowsOf("filesystem", "v2alpha1")("RmdirContents", [onPath], [], ["rmdirContents", { path }]),
  oldFiles("LinkPath", link, [error], ["createSymlink", linked]),
  newFiles("CreateSymlink", link, [], ["createSymlink", linked]),
  oldFiles("IsMountPoint", [onPath], [error, ["is_mount_point:2 b", true]], ["isSymlink", { path }]),
  newFiles("IsSymlink", [onPath], [["is_symlink:1 b", true]], ["isSymlink", { path }]),
];

const remotePath = "\\\\host\\share\\sub";
const remote: Field = ["remote_path:1 s", remotePath];
const credentials: readonly Field[] = [remote, ["local_path:2 s", path], ["username:3 s", "domain\\user"], ["password:4 s", "pä"]];
const mapping: RecordedCall = ["newSmbGlobalMapping", { remotePath, localPath: path, username: "domain\\user", password: "pä" }];
const oldSmb = rowsOf("smb", "v1alpha1 v1beta1");
const newSmb = rowsOf("smb", "v1beta2 v1");

export const smbRows: readonly MethodRow[] = [
  oldSmb("NewSmbGlobalMapping", credentials, [error], mapping),
  newSmb("NewSmbGlobalMapping", credentials, [], mapping),
  oldSmb("RemoveSmbGlobalMapping", [remote], [error], ["removeSmbGlobalMapping", { remotePath }]),
  newSmb("RemoveSmbGlobalMapping", [remote], [], ["removeSmbGlobalMapping", { remotePath }]),
];
