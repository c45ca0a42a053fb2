import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describeMessages, renderDescriptors } from "./describe-messages.ts";
import { generateMessages, refusingMalformed } from "./generate-messages.ts";

const packages = join(import.meta.dirname, "../../packages");

/** The generated code of one package: where it is kept, and its files by name. */
export interface GeneratedFolder {
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
}

/** Everything that belongs into the `gen` folders, and nothing else does. */
export async function renderProtocols(): Promise<readonly GeneratedFolder[]> {
  return [
    { folder: join(packages, "csi/gen"), files: await renderCsi() },
    { folder: join(packages, "csi-proxy/gen"), files: await renderCsiProxy() },
  ];
}

/** What sidecars, drivers and kubelet speak, and the well-known types in it that have code of their own. */
async function renderCsi(): Promise<ReadonlyMap<string, string>> {
  const protocols = ["csi.proto", "pluginregistration.proto"];
  const wellKnown = ["google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"];
  const protos = await compileProtos(join(packages, "csi/proto"));
  const files = await generateMessages(protos, [...protocols, ...wellKnown]);
  return files.set("descriptors.ts", renderDescriptors(describeMessages(protos, protocols)));
}

/** Where the v1 server of csi-proxy is described: `disk/v1.proto` and so on. */
export const csiProxyProtos = join(packages, "csi-proxy/proto");

/** The versions of csi-proxy's groups. Fields keep their declared names: clients in the same process use these messages as they are. */
async function renderCsiProxy(): Promise<ReadonlyMap<string, string>> {
  const protos = await compileProtos(csiProxyProtos);
  const names = protos.file.map(({ name }) => name);
  const files = await generateMessages(protos, names, ["snakeToCamel=false"]);
  return new Map([...files].map(([name, text]) => [name, refusingMalformed(text)]));
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
