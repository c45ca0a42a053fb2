import { expect, test } from "bun:test";
import { hasGit, TempRepository } from "../testing/temp-repository.ts";
import { branchOf, upstreamChanges } from "./upstream-changes.ts";

test.skipIf(!hasGit)(
  "changes are merged pull requests and squashed commits that touch what a controller does, with their changelog entries",
  () => {
    using upstream = new TempRepository();
    const commit = upstream.commit("first", { "pkg/controller.go": "1", "go.mod": "1" });
    const merged = upstream.mergePull(5, "Retry less", { "pkg/controller.go": "2" }, "2026-03-01T00:00:00Z");
    upstream.mergePull(6, "Bump modules", { "go.mod": "2", "vendor/a/a.go": "1" });
    upstream.mergePull(7, "Test more", { "pkg/controller_test.go": "1", "README.md": "1", ".github/workflows/a.yaml": "1" });
    const vulnerable = upstream.mergePull(8, "fix: GO-2026-1234", { "go.mod": "3" });
    const squashed = upstream.commit("Listen elsewhere (#9)", { "cmd/main.go": "1" });
    const other = upstream.commit("webhook: answer", { "cmd/webhook/main.go": "1" });
    upstream.commit("changelog", { "CHANGELOG/CHANGELOG-1.1.md": "### Bug or Regression\n- Retries less often ([#5](https://x/5))\n" });

    const tip = branchOf(upstream.folder, "main") ?? "";
    const changes = upstreamChanges(upstream.folder, tip, { commit });
    expect(changes).toEqual([
      {
        commit: merged,
        date: "2026-03-01",
        pull: 5,
        title: "Retry less",
        security: false,
        entry: { kind: "Bug or Regression", text: "Retries less often" },
      },
      { commit: vulnerable, date: "2026-01-01", pull: 8, title: "fix: GO-2026-1234", security: true },
      { commit: squashed, date: "2026-01-01", pull: 9, title: "Listen elsewhere (#9)", security: false },
      { commit: other, date: "2026-01-01", title: "webhook: answer", security: false },
    ]);

    const ofWebhook = upstreamChanges(upstream.folder, tip, { commit, paths: ["cmd/webhook/"] });
    expect(ofWebhook.map((change) => change.commit)).toEqual([vulnerable, other]);
    expect(upstreamChanges(upstream.folder, tip, { commit: tip })).toEqual([]);
    expect(branchOf(upstream.folder, "release-9.9")).toBeUndefined();
  },
);

test.skipIf(!hasGit).each([
  ["Build with a newer Go to fix CVEs", true],
  ["fix go CVE", true],
  ["CVE-2026-1 in a module", true],
  ["fix: GHSA-aaaa-bbbb-cccc", true],
  ["Receive fewer events", false],
])("%p is about a vulnerability: %p", (title, expected) => {
  using upstream = new TempRepository();
  const commit = upstream.commit("first", {});
  const tip = upstream.mergePull(1, title, { "pkg/a.go": "1" });
  expect(upstreamChanges(upstream.folder, tip, { commit }).map(({ security }) => security)).toEqual([expected]);
});
