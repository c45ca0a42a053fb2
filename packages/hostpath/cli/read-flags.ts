import { messageOf, ownValue } from "@csi-sidecars/base";
import { type CommandLine, flagTable } from "./flag-table.ts";

/** Reads a command line as Go's flag package does: one dash or two, `--flag=value` or `--flag value`, booleans without a value. */
export function readFlags(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): CommandLine {
  const line: CommandLine = { settings: {}, proxyEndpoint: "", version: false, help: false, verbosity: 0, secretsRequiredFile: "" };
  if (env.CSI_ENDPOINT) line.settings.endpoint = env.CSI_ENDPOINT;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const [, name, attached] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) throw new Error(`unexpected argument ${JSON.stringify(word)}; a boolean takes its value after an equals sign`);
    if (name === "help" || name === "h") {
      line.help = true;
      continue;
    }
    const flag = ownValue(flagTable, name);
    if (!flag) throw new Error(`flag provided but not defined: -${name}; see --help`);
    const value = attached ?? (flag.bare ? "true" : argv[++at]);
    if (value === undefined) throw new Error(`flag needs an argument: -${name}`);
    try {
      flag.set(line, value);
    } catch (error) {
      const reason = messageOf(error);
      throw new Error(`invalid value ${JSON.stringify(value)} for flag -${name}: ${reason}`, { cause: error });
    }
  }
  return line;
}

/** The text of `--help`. */
export function helpText(program: string): string {
  const lines = Object.entries(flagTable).map(([name, { help }]) => `  --${name}\n        ${help}`);
  return `Usage of ${program}: a CSI driver that keeps volumes in directories. For tests and demonstrations only.\n${lines.join("\n")}\n`;
}
