// The process of the driver: the hostpath driver with the flags it has.
import { once } from "node:events";
import { runHostpathPlugin } from "@csi-sidecars/hostpath";

process.exit(
  await runHostpathPlugin({
    program: "hostpathplugin",
    version: "playground",
    argv: process.argv.slice(2),
    env: {},
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    stopped: once(process, "SIGTERM"),
    exit: process.exit,
  }),
);
