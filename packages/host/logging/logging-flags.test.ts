import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { readCommandLine } from "../flags/read-command-line.ts";
import { allInOne } from "../flags/testing/components.ts";
import { allInOneGates } from "../gates/feature-gates.ts";
import { readGates } from "../gates/read-gates.ts";
import { loggingFromFlags, loggingProblems } from "./logging-flags.ts";

function start(...argv: string[]) {
  const commandLine = readCommandLine(allInOne, argv);
  if (commandLine.asks !== "run") throw new Error("not understood");
  const { settings } = commandLine;
  const reading = readGates(allInOneGates, settings.process.featureGates);
  if (!reading.ok) throw new Error(reading.problems.join());
  const written = { stdout: "", stderr: "" };
  const sink = (stream: "stdout" | "stderr") => ({
    write(text: string) {
      written[stream] += text;
    },
    flush() {},
  });
  const clock = new FakeClock();
  const problems = loggingProblems(settings.process, reading.gates);
  const logging = loggingFromFlags(settings, { program: "test", pid: 1, clock, stdout: sink("stdout"), stderr: sink("stderr") });
  return { problems, written, clock, ...logging };
}

test.each([
  [["--logging-format=text"], []],
  [["--logging-format=json", "--v=5"], []],
  [["--logging-format=xml"], ['format: Invalid value: "xml": Unsupported log format']],
  [["--logging-format=json", "--vmodule=a=1"], ["vmodule: Forbidden: Only supported for text log format"]],
  [["--log-flush-frequency=0"], ['flushFrequency: Invalid value: "0s": Must be greater than zero']],
  [["--log-text-split-stream"], ["options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled"]],
  [["--log-json-info-buffer-size=1k"], ["options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled"]],
  [["--log-text-split-stream", "--log-text-info-buffer-size=1Ki", "--feature-gates=LoggingAlphaOptions=true"], []],
])("%j is judged as upstream does", (argv, problems) => {
  expect(start(...argv).problems).toEqual(problems);
});

describe("flags in effect", () => {
  test("text and json", () => {
    const [text, json] = [start(), start("--logging-format=json")];
    for (const { logger } of [text, json]) logger.named("attacher").info("Hello");
    expect(text.written.stderr).toEndWith('attacher:0] "Hello" logger="attacher"\n');
    expect(JSON.parse(json.written.stderr)).toMatchObject({ msg: "Hello", logger: "attacher" });
  });

  test("verbosity of all, of one controller and by pattern", () => {
    const { logger, written } = start("--v=1", "--attacher-v=4", "--vmodule=resizer.modify=6");
    for (const name of ["attacher", "provisioner", "resizer"]) logger.named(name).v(4).info(name);
    logger.named("resizer").named("modify").v(6).info("modify");
    expect([...written.stderr.matchAll(/\] "(\w+)"/g)].map(([, name]) => name)).toEqual(["attacher", "modify"]);
  });

  test("split streams with a buffer", async () => {
    const { logger, written, clock } = start(
      "--log-text-split-stream",
      "--log-text-info-buffer-size=1Ki",
      "--feature-gates=LoggingAlphaOptions=true",
    );
    logger.info("later");
    logger.error(undefined, "now");
    expect([written.stdout, written.stderr.includes('"now"')]).toEqual(["", true]);
    await clock.advance(5_000);
    expect(written.stdout).toContain('"later"');
  });
});
