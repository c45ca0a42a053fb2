// The process of the driver: the hostpath driver with the flags it has, until it is asked to stop or the playground is gone.
import { once } from "node:events";
import { runHostpathPlugin } from "@csi-sidecars/hostpath";

const stopped = Promise.race([
  once(process, "SIGTERM"),
  once(process, "SIGINT"),
  new Promise((resolve) => process.stdin.on("close", resolve).resume()),
]);

process.exit(
  await runHostpathPlugin({
    program: "hostpathplugin",
    version: "playground",
    argv: process.argv.slice(2),
    env: {},
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    stopped,
    exit: process.exit,
  }),
);
