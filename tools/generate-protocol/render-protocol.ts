import { join } from "node:path";
import { compileProtos } from "./compile-protos.ts";
import { generateMessages } from "./generate-messages.ts";

const csiPackage = join(import.meta.dirname, "../../packages/csi");
const protoFolder = join(csiPackage, "proto");
export const genFolder = join(csiPackage, "gen");

const files = ["csi.proto", "pluginregistration.proto", "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"];

/** Everything that belongs into the `gen` folder: file name to text. */
export async function renderProtocol(): Promise<Map<string, string>> {
  return generateMessages(await compileProtos(protoFolder), files);
}
