/** The operator's commands over component descriptors and a cluster; each is loaded only when it is called. */
export type { SidecarProgram } from "@csi-sidecars/host";
