import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { choice, exitCode, type Flag, type SidecarProgram, text } from "@csi-sidecars/host";
import { type CommandResult, readOwnFlags } from "@csi-sidecars/host/sub-commands";
import { applyEdits, unifiedDiff } from "./edits.ts";
import { UnreadableManifest } from "./manifests.ts";
import { renderPatches } from "./patch.ts";
import { renderReport } from "./report.ts";
import { type Outcome, type Source, translateSources } from "./translate-stream.ts";

const files: Flag<readonly string[]> = {
  type: "file",
  initial: [],
  help: "File or folder with manifests, - for standard input; may be given several times: roles, services and workloads are judged together.",
  aliases: ["f"],
  parse: (path) => ({ ok: true, value: [path] }),
  format: (paths) => paths.join(" "),
  merge: (one, other) => [...one, ...other],
};

const command = {
  name: "translate",
  flags: {
    filename: files,
    output: choice(
      ["yaml", "diff", "patch"],
      "yaml",
      "yaml: the manifests, translated; diff: what changes, for patch(1); patch: strategic merge patches, for kubectl patch and kustomize.",
      { aliases: ["o"] },
    ),
    image: text("", "Image of csi-sidecars; csi-sidecars with this version if empty."),
  },
  help: (program: string) =>
    "Puts one csi-sidecars container in place of the sidecars of Deployments, StatefulSets and DaemonSets, with their flags, ports, probes, mounts\n" +
    "and security context. Everything else stays as it is, byte for byte. What people should check is written to standard error: what cannot be carried\n" +
    "over, and how the roles in the input differ from what the controllers need. Changes no file and talks to no cluster.\n\n" +
    "Examples:\n" +
    `  ${program} translate -f deploy.yaml --image=registry.example.com/csi-sidecars:v1.0.0 > new.yaml\n` +
    `  helm template my-driver ./chart | ${program} translate -f - -o diff\n` +
    `  ${program} translate -f controller.yaml -f node.yaml -f rbac.yaml -o patch > patch.yaml\n\n` +
    "Exit code 0: translated; 2: usage error, or the input cannot be read; 3: nothing to translate.",
};

/** `csi-sidecars translate`: what `help` above says. `program`: the all-in-one. */
export function translateCommand(argv: readonly string[], program: SidecarProgram): CommandResult {
  const line = readOwnFlags(argv, command, program.name);
  if (line.asks === "nothing") return line.result;
  const { values, operands } = line;
  if (operands.length > 0 || values.filename.length === 0)
    return misuse(`translate needs -f <file>, or -f - for standard input; see ${program.name} translate --help`);
  try {
    const sources = values.filename.flatMap(filesAt).map(readSource);
    const outcome = translateSources(sources, program, values.image || `${program.name}:${program.version}`);
    const done = outcome.translations.some(({ parts }) => parts.length > 0);
    const image = done && !values.image ? `Note: the image is ${program.name}:${program.version}; name yours with --image\n` : "";
    return {
      exitCode: done ? exitCode.clean : exitCode.nothingToDo,
      stdout: render(outcome, values.output),
      stderr:
        renderReport(outcome.translations) +
        image +
        (done ? "" : "Nothing to translate: no sidecar was found that csi-sidecars can replace.\n"),
    };
  } catch (error) {
    if (error instanceof UnreadableManifest) return misuse(error.message);
    throw error;
  }
}

function misuse(message: string): CommandResult {
  return { exitCode: exitCode.misuse, stdout: "", stderr: `${message}\n` };
}

/** The manifests in a folder, as kubectl has them; anything else is read as it is. */
function filesAt(path: string): readonly string[] {
  if (path === "-" || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const files = readdirSync(path)
    .filter((name) => /\.(yaml|yml|json)$/.test(name))
    .toSorted();
  if (files.length === 0) throw new UnreadableManifest(`${path} has no .yaml, .yml or .json files`);
  return files.map((name) => join(path, name));
}

function readSource(path: string): Source {
  const name = path === "-" ? "standard input" : path;
  try {
    const bytes = readFileSync(path === "-" ? 0 : path);
    return { name: path === "-" ? "stdin" : path, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    throw new UnreadableManifest(`cannot read ${name}: ${messageOf(error)}`);
  }
}

function render({ sources, translations }: Outcome, output: "yaml" | "diff" | "patch"): string {
  if (output === "patch") return renderPatches(translations);
  if (output === "diff") return sources.map(({ name, text: before, edits }) => unifiedDiff(name, before, edits)).join("");
  return joined(sources.map(({ text: before, edits }) => applyEdits(before, edits)));
}

/** Files as one stream. */
function joined(texts: readonly string[]): string {
  return texts
    .map((each, at) => (at > 0 && !/^---\s/.test(each) ? `---\n${each}` : each))
    .map((each, at) => (at < texts.length - 1 && !each.endsWith("\n") ? `${each}\n` : each))
    .join("");
}
