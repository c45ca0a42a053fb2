import { expect, test } from "bun:test";
import { changelogEntries } from "./changelog-entries.ts";

test("entries are found by each of their pull requests, below the nearest heading", () => {
  const link = (pull: number) => `([#${pull}](https://github.com/o/r/pull/${pull}), [@someone](https://github.com/someone))`;
  const entries = changelogEntries(`# Release notes for v1.1.0

# Changelog since v1.0.0

## Changes by Kind

### Feature

- Can do more ${link(12)}

### Bug or Regression

* Crashes less ([#7](https://github.com/o/r/pull/7), [#9](https://github.com/o/r/pull/9), [@someone](https://github.com/someone))

## Dependencies

### Added
- example.com/module: v1.0.0

# Release notes for v1.0.0

### Feature
- An older text for the same ${link(7)}
`);
  expect([...entries]).toEqual([
    [12, { kind: "Feature", text: "Can do more" }],
    [7, { kind: "Bug or Regression", text: "Crashes less" }],
    [9, { kind: "Bug or Regression", text: "Crashes less" }],
  ]);
});
