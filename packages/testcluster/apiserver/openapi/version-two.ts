import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type Answer, jsonAnswer, jsonHeaders } from "../rest/answer.ts";

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const info = { title: "Kubernetes", version: "v1.36.3" };

/**
 * `/openapi/v2`: no more than a beginning. Schemas are published in version 3; kubectl asks for version 2 when it reads a `kind: List`, and
 * leaves validation to the server when it finds nothing there. It takes protobuf only.
 */
export function versionTwo(accept: string | undefined): Answer {
  if (!accept?.includes("+protobuf")) return jsonAnswer(200, JSON.stringify({ swagger: "2.0", info, paths: {}, definitions: {} }));
  const about = new BinaryWriter().tag(1, 2).string(info.title).tag(2, 2).string(info.version).finish();
  const document = new BinaryWriter().tag(1, 2).string("2.0").tag(2, 2).bytes(about).finish();
  return { code: 200, headers: { ...jsonHeaders, "Content-Type": protobufType }, body: Buffer.from(document).toString("latin1") };
}
