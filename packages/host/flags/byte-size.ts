import { type Parsed, parsed, unparsable } from "./parsed.ts";

const scales: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** A number of bytes written as a Kubernetes quantity (`512`, `1k`, `2Ki`, `3M`, `4e3`), rounded up to whole bytes. */
export function parseByteSize(text: string): Parsed<number> {
  const match = /^\+?([0-9]+\.?[0-9]*|\.[0-9]+)(?:([kKMG]i?)|[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  const scale = match?.[3] === undefined ? scales[match?.[2] ?? ""] : 10 ** Number(match[3]);
  if (!match || scale === undefined) return unparsable("write a number of bytes: 512, 1k, 2Ki, 3M or 4Mi");
  const bytes = Math.ceil(Number(match[1]) * scale);
  return Number.isSafeInteger(bytes) ? parsed(bytes) : unparsable("value out of range");
}
