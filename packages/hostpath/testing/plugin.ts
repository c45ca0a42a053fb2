// The program as a process of its own, for tests that end processes.
import { runHostpathPlugin } from "../main.ts";

const stopped = new Promise((resolve) => {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const) process.once(signal, resolve);
});
process.exit(
  await runHostpathPlugin({
    program: "hostpathplugin",
    version: "v1",
    argv: process.argv.slice(2),
    env: process.env,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    stopped,
    exit: (code) => process.exit(code),
  }),
);
