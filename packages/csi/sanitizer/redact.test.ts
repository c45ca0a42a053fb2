import { describe, expect, test } from "bun:test";
import { DeleteVolumeRequest } from "../gen/csi.ts";
import { redact, secretsIn } from "./redact.ts";

describe("redact", () => {
  test.each([
    ["a value in the text", "login as admin:hunter2 failed", ["hunter2"], "login as admin:***stripped*** failed"],
    ["every place", "hunter2, hunter2", ["hunter2"], "***stripped***, ***stripped***"],
    ["the longest first", "key abcdef", ["abc", "abcdef"], "key ***stripped***"],
    ["no value in what was put in", "no password", ["password", "stripped"], "no ***stripped***"],
    ["the shortest values that are secrets", "key abc", ["abc"], "key ***stripped***"],
    ["nothing for empty and very short values", "an error", ["", "a", "er"], "an error"],
    ["values that look like patterns", "bad p.*d, p[a]d", ["p.*d", "$&^|"], "bad ***stripped***, p[a]d"],
    ["values trimmed by the driver", "token tok-1: no", ["tok-1\n"], "token ***stripped***: no"],
    ["values in quotes", 'bad "pa\\"ss\\n1"', ['pa"ss\n1'], 'bad "***stripped***"'],
    ["values in a URL", "GET /?p=p%40ss%20word", ["p@ss word"], "GET /?p=***stripped***"],
    ["values in base64", "Authorization: Basic aHVudGVyMg==", ["hunter2"], "Authorization: Basic ***stripped***"],
    ["half a character", "text", ["\ud800abc"], "text"],
    ["nothing where there are no secrets", "text", [], "text"],
  ])("%s", (_, text, secrets, expected) => expect(redact(text, secrets)).toBe(expected));

  test("takes what a request's secret fields hold", () => {
    const request = DeleteVolumeRequest.create({ volumeId: "vol-1", secrets: { user: "admin", password: "hunter2" } });
    expect(redact("delete vol-1: user admin: wrong password hunter2", secretsIn(request, DeleteVolumeRequest))).toBe(
      "delete vol-1: user ***stripped***: wrong password ***stripped***",
    );
  });
});
