import { expect, test } from "bun:test";
import { program as csiProxy } from "../../cmd/csi-proxy/flags.ts";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { program as snapshotController } from "../../cmd/snapshot-controller/program.ts";
import { chooseProgram as chooseWebhook, individual as webhooks } from "../../cmd/snapshot-webhook/choose-program.ts";

const programs = [
  ...["csi-sidecars", ...components.map(({ standalone }) => standalone)].map((name) => chooseProgram(name, []).program),
  ...["snapshot-webhook", ...webhooks.map(({ standalone }) => standalone)].map((name) => chooseWebhook(name, [], {}).program),
  snapshotController,
  csiProxy,
];

test.each(programs.map(({ name, about }) => [name, about]))("%s --help says what it is", (_, about) => {
  expect(about).toMatch(/^[A-Z].+\.(\n|$)/);
});
