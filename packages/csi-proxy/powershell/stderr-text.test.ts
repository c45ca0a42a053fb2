import { expect, test } from "bun:test";
import { operations } from "./catalogue.ts";
import { redactionFor } from "./redact.ts";
import { StderrText } from "./stderr-text.ts";

const secret = "0123456789".repeat(100);
const redact = redactionFor(operations["smb.newMapping"], { smbpassword: secret });
const shownOf = (text: string) => {
  const stderr = new StderrText();
  for (let at = 0; at < text.length; at += 1_000) stderr.push(Buffer.from(text.slice(at, at + 1_000)));
  return stderr.shown(redact);
};

test("a secret that is cut off at the end of what is kept is not shown in part", () => {
  expect(shownOf(`refused: ${secret}`)).toBe("refused: ***stripped***");
  expect(shownOf(secret.repeat(66))).toBe("");
  expect(shownOf("x".repeat(66_000))).toBe("x".repeat(4_096));
});
