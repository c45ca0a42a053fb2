#!/usr/bin/env bun
// The program: `bun packages/hostpath/hostpathplugin.ts --nodeid=node-1`.
import { runHostpathPlugin } from "./cli/main.ts";
import { defaultSettings } from "./settings.ts";

const stopped = new Promise((resolve) => {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const) process.once(signal, resolve);
});
runHostpathPlugin({
  program: "hostpathplugin",
  version: defaultSettings.vendorVersion,
  argv: process.argv.slice(2),
  env: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  stopped,
  exit: (code) => process.exit(code),
}).then((code) => process.exit(code));
