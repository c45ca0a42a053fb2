import type { Component, Program } from "@csi-sidecars/host";
import { program as csiProxy } from "../../cmd/csi-proxy/flags.ts";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { program as snapshotController } from "../../cmd/snapshot-controller/program.ts";
import { chooseProgram as chooseWebhook, individual as webhooks } from "../../cmd/snapshot-webhook/choose-program.ts";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";

/** In a cluster the webhook has flags for it. */
const inCluster = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };
const webhook = (name: string) => chooseWebhook(name, [], inCluster).program;

const sidecarPrograms = [
  chooseProgram("csi-sidecars", []).program,
  ...components.map(({ standalone }) => chooseProgram(standalone, []).program),
  snapshotController,
  webhook("snapshot-webhook"),
  ...webhooks.map(({ standalone }) => webhook(standalone)),
];

/** The command lines of everything that ships. */
export const releasedPrograms: readonly Program[] = [...sidecarPrograms.map(commandLineOf), csiProxy];

/** Everything that has permissions in a cluster. */
export const releasedComponents: readonly Component[] = [...new Set(sidecarPrograms.flatMap(({ components }) => components))];
