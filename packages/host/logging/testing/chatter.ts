import { systemClock } from "@csi-sidecars/base";
import { startLogging } from "../logging.ts";
import { descriptorSink } from "../sink.ts";

/** A program that logs many lines and ends at once: what it leaves behind shows whether lines get lost. */
const stderr = descriptorSink(2);
const { logger, flush } = startLogging({
  format: "text",
  verbosity: { all: 0 },
  program: "chatter",
  pid: process.pid,
  clock: systemClock,
  info: stderr,
  error: stderr,
});
for (let n = 0; n < 20_000; n++) logger.info("Line", { n, padding: "x".repeat(80) });
logger.error(new Error("boom"), "Last words");
logger.error(new Error("boom"), "Last words");
flush();
process.exit(1);
