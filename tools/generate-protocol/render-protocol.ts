import { join } from "node:path";
import { compileProtos } from "./compile-protos.ts";
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
