import type { IscsiHostApi } from "../iscsi/host-api.ts";
import { Iscsi } from "../iscsi/iscsi.ts";
import { defaultProxy } from "./default-proxy.ts";
import { replaceableHandler } from "./replaceable-handler.ts";

const { current, useHostApi, resetHostApi } = replaceableHandler<IscsiHostApi, Iscsi>(
  () => defaultProxy().iscsi,
  (hostApi) => new Iscsi(hostApi),
);

export { resetHostApi, useHostApi };

export const addTargetPortal: Iscsi["addTargetPortal"] = (...args) => current().addTargetPortal(...args);
export const discoverTargetPortal: Iscsi["discoverTargetPortal"] = (...args) => current().discoverTargetPortal(...args);
export const removeTargetPortal: Iscsi["removeTargetPortal"] = (...args) => current().removeTargetPortal(...args);
export const listTargetPortals: Iscsi["listTargetPortals"] = (...args) => current().listTargetPortals(...args);
export const connectTarget: Iscsi["connectTarget"] = (...args) => current().connectTarget(...args);
export const disconnectTarget: Iscsi["disconnectTarget"] = (...args) => current().disconnectTarget(...args);
export const getTargetDisks: Iscsi["getTargetDisks"] = (...args) => current().getTargetDisks(...args);
export const setMutualChapSecret: Iscsi["setMutualChapSecret"] = (...args) => current().setMutualChapSecret(...args);
