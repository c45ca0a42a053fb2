import { expect, test } from "bun:test";
import { join } from "node:path";

test("a real process survives unhandled errors of a component, and drains on SIGTERM", async () => {
  await using child = Bun.spawn([process.execPath, join(import.meta.dirname, "testing/unhandled-errors-main.ts"), "--v=2"], {
    stdout: "ignore",
    stderr: "pipe",
  });
  let text = "";
  let told = false;
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (told || !text.includes('err="rejected by whom"')) continue;
    told = true;
    child.kill("SIGTERM");
  }
  expect(await child.exited).toBe(0);
  expect(text).toContain('err="thrown in a timer of its own"');
  expect(text).toContain('err="rejected, and nobody waited"');
  expect(text).toContain('"Unhandled rejection of unknown origin, nothing is restarted" err="rejected by whom"');
  expect(text.match(/controller="careless" state="running"/g)).toHaveLength(3);
  expect(text.match(/controller="careful" state="running"/g)).toHaveLength(1);
});
