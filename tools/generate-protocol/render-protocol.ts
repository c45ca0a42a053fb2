import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describeMessages, renderDescriptors } from "./describe-messages.ts";
import { generateMessages } from "./generate-messages.ts";

const csiPackage = join(import.meta.dirname, "../../packages/csi");
const protoFolder = join(csiPackage, "proto");
/** Where the generated code is kept. */
export const genFolder = join(csiPackage, "gen");

/** What we speak, and the well-known types in it that have code of their own. */
const protocols = ["csi.proto", "pluginregistration.proto"];
const wellKnown = ["google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"];

/** Everything that belongs into the `gen` folder: file name to text. */
export async function renderProtocol(): Promise<Map<string, string>> {
  const protos = await compileProtos(protoFolder);
  const files = await generateMessages(protos, [...protocols, ...wellKnown]);
  return files.set("descriptors.ts", renderDescriptors(describeMessages(protos, protocols)));
}

const buf = createRequire(import.meta.url).resolve("@bufbuild/buf/bin/buf");

/** Compiles a folder of .proto files, with everything they import and their comments, to descriptors. */
export async function compileProtos(folder: string): Promise<FileDescriptorSet> {
  const { stdout } = await promisify(execFile)(process.execPath, [buf, "build", folder, "-o", "-#format=binpb"], {
    encoding: "buffer",
    maxBuffer: 64 << 20,
  });
  return fromBinary(FileDescriptorSetSchema, stdout);
}
