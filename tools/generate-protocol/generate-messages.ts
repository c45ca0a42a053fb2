import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { buffer } from "node:stream/consumers";
import { clone, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
} from "@bufbuild/protobuf/wkt";

const plugin = createRequire(import.meta.url).resolve("ts-proto/protoc-gen-ts_proto");

const options = [
  "esModuleInterop=true",
  "importSuffix=.ts",
  "annotateFilesWithVersion=false",
  // 64-bit numbers exactly; times with their nanoseconds.
  "forceLong=bigint",
  "useDate=false",
  // Types that erase, closed unions, and enum numbers kept as they came.
  "enumsAsLiterals=true",
  "unrecognizedEnum=false",
  "oneof=unions",
  "useOptionals=messages",
  "useReadonlyTypes=true",
  "useExactTypes=false",
  // What runs: wire codecs that know their own name, and service tables for our gRPC. No JSON, no reflection.
  "outputTypeAnnotations=static-only",
  "outputServices=generic-definitions",
  "outputJsonMethods=false",
  "emitImportedFiles=false",
];

/** TypeScript types, wire codecs and service definitions of `files` by ts-proto: file name to text. */
export async function generateMessages(
  protos: FileDescriptorSet,
  files: readonly string[],
  furtherOptions: readonly string[] = [],
): Promise<Map<string, string>> {
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [...files],
    parameter: [...options, ...furtherOptions].join(","),
    protoFile: protos.file.map(withoutMethodOptions),
  });
  const child = spawn(process.execPath, [plugin], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(toBinary(CodeGeneratorRequestSchema, request));
  const response = fromBinary(CodeGeneratorResponseSchema, await buffer(child.stdout));
  if (response.error) throw new Error(`ts-proto: ${response.error}`);
  return new Map(response.file.map((file) => [file.name, withMapsOfAnyKey(file.content)]));
}

/**
 * ts-proto fills maps into plain objects: they contain `constructor` from the start, and lose `__proto__`. Both are keys that a user
 * may give to a parameter or a secret, so maps begin as objects without a prototype. These are the objects that codecs fill: the
 * empty maps of a new message, and those that `fromPartial` collects entries into.
 */
function withMapsOfAnyKey(source: string): string {
  const empty = "globalThis.Object.create(null)";
  return source
    .replace(/^function createBase\w+\(\)[\s\S]*?^}$/gm, (base) => base.replaceAll(/(\w+): \{\}/g, `$1: ${empty}`))
    .replaceAll(/(return acc;\s*\},\s*)\{\}/g, `$1${empty}`);
}

/**
 * ts-proto replaces bytes that are not UTF-8, and takes a field number 0 or the end of a group that never began for the end of the
 * message. A server refuses such requests, as Go does: it must not act on a path that the client did not name.
 */
export function refusingMalformed(source: string): string {
  return source
    .replaceAll("reader.string()", "reader.string(true)")
    .replaceAll(
      /if \(\(tag & 7\) === 4 \|\| tag === 0\) \{(\s*)break;/g,
      'if ((tag & 7) === 4 || tag >>> 3 === 0) {$1throw new globalThis.Error("invalid field number or wire type");',
    );
}

/** ts-proto writes custom options into the service tables as raw bytes: nothing there reads them. */
function withoutMethodOptions(file: FileDescriptorProto): FileDescriptorProto {
  const plain = clone(FileDescriptorProtoSchema, file);
  for (const service of plain.service) {
    for (const method of service.method) method.options = undefined;
  }
  return plain;
}
