import type { Program } from "../program.ts";
import { readCommandLine } from "../read-command-line.ts";
import type { Settings } from "../resolve.ts";
import { allInOne } from "./components.ts";

/** What a command line, given as one text, comes to; throws what the user would be told. */
export function settingsOf(argv: string, program: Program = allInOne): Settings {
  const commandLine = readCommandLine(
    program,
    argv.split(" ").filter((word) => word !== ""),
  );
  if (commandLine.asks !== "run") throw new Error(commandLine.asks === "nothing" ? commandLine.misuse : "help");
  return commandLine.settings;
}
