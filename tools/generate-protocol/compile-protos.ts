import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const buf = createRequire(import.meta.url).resolve("@bufbuild/buf/bin/buf");

/** Compiles a folder of .proto files, with everything they import and their comments, to descriptors. */
export async function compileProtos(folder: string): Promise<FileDescriptorSet> {
  const { stdout } = await promisify(execFile)(process.execPath, [buf, "build", folder, "-o", "-#format=binpb"], {
    encoding: "buffer",
    maxBuffer: 64 << 20,
  });
  return fromBinary(FileDescriptorSetSchema, stdout);
}
